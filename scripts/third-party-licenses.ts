import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

interface PackageFile {
  readonly name: string
  readonly version: string
  readonly license?: string
}

/** The name, version and licence text of every package among the bundled files. */
export async function thirdPartyLicenses(root: string, inputs: readonly string[]): Promise<string> {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined))
  const notices = await Promise.all([...folders].sort().map((folder) => notice(join(root, folder))))
  return `This program contains the following packages.\n\n${notices.join('\n')}`
}

function packageFolder(input: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]
}

async function notice(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as PackageFile
  const file = (await readdir(folder)).find((file) => /^licen[cs]e/i.test(file))
  const text = file === undefined ? '' : `\n${await readFile(join(folder, file), 'utf8')}`
  return `${'-'.repeat(80)}\n${name} ${version} (${license ?? 'licence not named'})\n${text}`
}
