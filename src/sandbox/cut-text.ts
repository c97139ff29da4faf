/** The beginning of a text that fits into so many bytes of UTF-8, without half a character at its end. */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text
  const bytes = Buffer.from(text.slice(0, maxBytes), 'utf8')
  if (bytes.length <= maxBytes && text.length <= maxBytes) return text
  let end = Math.min(maxBytes, bytes.length)
  while (end > 0 && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--
  return bytes.toString('utf8', 0, end)
}
