// Writes the durations of test files, which decide the order of runs, as Vitest noted them in its
// last run of all of them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Others take their turn at the end, where they fill the time that is left. */
const minSeconds = 2

/** @typedef {{ results: [file: string, result: { duration: number }][] }} Results */

const folder = 'node_modules/.vite/vitest'
const noted = readdirSync(folder).flatMap((name) => {
  /** @type {Results} */
  const { results } = JSON.parse(readFileSync(join(folder, name, 'results.json'), 'utf8'))
  return results.map(([file, { duration }]) => ({
    file: file.slice(file.indexOf(':') + 1),
    seconds: Math.round(duration / 1000),
  }))
})
const durations = noted
  .filter(({ seconds }) => seconds >= minSeconds)
  .sort((a, b) => b.seconds - a.seconds || (a.file < b.file ? -1 : 1))
  .map(({ file, seconds }) => [file, seconds])
const text = JSON.stringify(Object.fromEntries(durations), undefined, 2)
writeFileSync('test/support/run/durations.json', `${text}\n`)
