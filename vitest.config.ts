import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const slow = ['test/**/*.slow.test.ts']
// They need the real pi, which is 160 MB: npm run test:pi installs it first.
const pi = ['test/**/*.pi.test.ts']

export default defineConfig({
  test: {
    // By itself vitest leaves one processor alone, which on two is half of the machine; and tests that wait for processes need none.
    maxWorkers: Math.max(3, availableParallelism()),
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: [...slow, ...pi] } },
      { extends: true, test: { name: 'slow', include: slow, testTimeout: 120_000 } },
      { extends: true, test: { name: 'pi', include: pi, testTimeout: 60_000, fileParallelism: false } },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'text'],
      thresholds: {
        lines: 80,
        // What people entrust to the library must not depend on code that nothing runs.
        'src/files/append-log.ts': { lines: 90 },
        'src/prompts/server/**': { lines: 85 },
        'src/prompts/{changes,compaction,layer,log-line,log-state,open-store,overview,revisions,watch-prompts}.ts': {
          lines: 90,
        },
      },
    },
  },
})
