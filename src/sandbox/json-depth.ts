/**
 * How many levels a value may have that leaves the sandbox. What is parsed from it is walked by functions that call themselves,
 * ours and those of V8, and a value that is deep enough would take them down.
 */
export const mostLevels = 500

/** Whether a JSON text nests deeper than a value may that leaves the sandbox. */
export function nestsTooDeeply(json: string): boolean {
  let depth = 0
  let isInText = false
  for (let index = 0; index < json.length; index++) {
    const character = json[index]
    if (isInText && character === '\\') index++
    else if (character === '"') isInText = !isInText
    else if (isInText) continue
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    if (depth > mostLevels) return true
  }
  return false
}
