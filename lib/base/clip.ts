/** Texts of others, cut to a length for messages. Never half a character, so that what is left is still a text. */

/** At most `max` UTF-16 units of a text, with a note of how many were left out. */
export function clip(text: string, max: number): string {
  const head = headOf(text, max);
  return head === text ? text : `${head}… (${text.length - head.length} more characters)`;
}

/** At most `max` UTF-16 units of a text, and `…` where more were there. For what is hardly ever longer. */
export function shorten(text: string, max: number): string {
  const head = headOf(text, max);
  return head === text ? text : `${head}…`;
}

// --- internal ---

function headOf(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? max - 1 : max);
}
