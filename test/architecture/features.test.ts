import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sourceFiles } from './imports.ts'

const root = fileURLToPath(new URL('../../src', import.meta.url))
const features = readdirSync(`${root}/feature`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** The list of features, and the files that name the options of routers and export their types. */
const lists = ['feature/features.ts', 'api/router-options.ts', 'types.ts']

describe('A feature', () => {
  it('has a folder of its own', () => {
    expect(features.length).toBeGreaterThan(0)
  })

  it.each(features)(
    'is named in its folder, in the list of features and in public names only: %s',
    (name) => {
      const users = sourceFiles(root).filter(
        (file) =>
          !file.startsWith(`feature/${name}/`) &&
          new RegExp(name, 'i').test(readFileSync(`${root}/${file}`, 'utf8')),
      )
      expect(users.filter((file) => !lists.includes(file))).toEqual([])
    },
  )
})
