/**
 * The chunks of a child's output pipe until its end, or until the child is gone and the pipe is silent: a grandchild may
 * keep a pipe open for ever. It never splits or decodes.
 */

/**
 * Reads `stream` to its end. After `gone`, no more than the milliseconds that it resolves to are spent, altogether, on
 * waiting for bytes: what is in the pipe already always arrives, however slow the consumer is. Leaving the loop closes
 * the pipe.
 */
export async function* chunksOf(
  stream: ReadableStream<Uint8Array>,
  gone: Promise<number>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  let leftMs = 0;
  let isGone = false;
  let isWaiting = false;
  let timer: Timer | undefined;
  let since = 0;
  const cancel = () => void reader.cancel().catch(() => {});
  const startTimer = () => {
    since = performance.now();
    timer = setTimeout(cancel, leftMs);
  };
  const watch = async () => {
    leftMs = await gone;
    isGone = true;
    if (isWaiting) startTimer();
  };
  void watch();
  try {
    while (true) {
      isWaiting = true;
      if (isGone) startTimer();
      const { value, done } = await reader.read();
      isWaiting = false;
      if (isGone) {
        clearTimeout(timer);
        leftMs = Math.max(0, leftMs - (performance.now() - since));
      }
      if (done) return;
      yield value;
    }
  } finally {
    cancel();
  }
}
