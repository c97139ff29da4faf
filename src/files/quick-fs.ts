import { readFile, stat, type Stats } from 'node:fs'

// The platform's own promises of files live in a module that takes 2 ms to load, because it brings readline and more with it: a tenth
// of a whole look at the catalogue. These are for what every start reads.

/** The text of a file. */
export function quickRead(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    readFile(path, 'utf8', (error, text) => (error === null ? resolve(text) : reject(error)))
  })
}

/** What stands at a path; undefined where nothing can be seen. */
export function quickStat(path: string): Promise<Stats | undefined> {
  return new Promise((resolve) => {
    stat(path, (error, found) => resolve(error === null ? found : undefined))
  })
}
