/** A time as the clock on the wall shows it: `2026-11-15 14:53`. */
export function timeText(atMs: number): string {
  const at = new Date(atMs)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [String(at.getFullYear()), two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`
}
