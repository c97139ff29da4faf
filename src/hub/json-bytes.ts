/**
 * The bytes of a value as JSON, but for what escapes in its texts add. Counted instead of written: a large result would be copied
 * as a whole for the sake of one number.
 */
export function jsonBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2
  if (typeof value !== 'object' || value === null) return String(value).length
  const between = (count: number): number => 2 + Math.max(0, count - 1)
  if (Array.isArray(value)) {
    return value.reduce((sum: number, item: unknown) => sum + jsonBytes(item), between(value.length))
  }
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return fields.reduce((sum, [key, field]) => sum + jsonBytes(key) + 1 + jsonBytes(field), between(fields.length))
}
