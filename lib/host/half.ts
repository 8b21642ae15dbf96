/** Lists of which only a part was got, on a link that may be tried again. */
import type { McpClient } from "../client/types.ts";

export type Work<T> = (client: McpClient) => Promise<T>;

/** A list whose later page failed is tried again as if all of it had; half of it is better than none. */
export async function orHalf<T>(work: Work<T>, use: (whole: Work<T>) => Promise<T>): Promise<T> {
  let half: { list: T } | undefined;
  try {
    return await use(async (client) => {
      const list = await work(client);
      const { failure } = Object(list) as { failure?: Error };
      if (failure === undefined) return list;
      half = { list };
      throw failure;
    });
  } catch (error) {
    if (half === undefined) throw error;
    return half.list;
  }
}
