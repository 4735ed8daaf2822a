import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const maxWidth = 100

/** Comments that tools read on one line, and addresses, cannot be wrapped. */
const unwrappable = /biome-ignore|https?:/

// The formatter wraps code alone.
test('no line of a comment is longer than 100 columns', () => {
  const files = ['src', 'test', 'bench', 'examples', 'scripts']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(folder, file),
      ),
    )
    .filter((file) => /\.m?[jt]s$/.test(file) && !/node_modules|dist|\.d\.ts$/.test(file))
  expect(files.length).toBeGreaterThan(500)
  const long = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        /^\s*(\/\/|\/?\*)/.test(line) && line.length > maxWidth && !unwrappable.test(line)
          ? [`${file}:${index + 1}`]
          : [],
      ),
  )
  expect(long).toEqual([])
})
