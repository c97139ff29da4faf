import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { locationsOf } from '../../../src/hosts/acp/locations.ts'

const here = import.meta.filename

test.each([
  ['a path', { path: here }, [{ path: here }]],
  ['a file with a line', { file_path: here, line: 7 }, [{ path: here, line: 7 }]],
  ['an address of a file', { uri: pathToFileURL(here).href }, [{ path: here }]],
  ['several, each once', { paths: [here, here, 7], sourceFile: here }, [{ path: here }]],
  ['a file that is not there', { path: `${here}.not` }, []],
  ['a path that counts from elsewhere', { path: 'package.json' }, []],
  ['a path on another machine', { path: `/${here}` }, []],
  ['text that is no path', { message: here }, []],
  ['a line that is none', { path: here, line: -1 }, [{ path: here }]],
  ['an address that is none', { uri: 'file://elsewhere/%zz' }, []],
])('%s in the arguments of a call is followed only where it leads to something here', (_, input, locations) => {
  expect(locationsOf(input)).toEqual(locations)
})
