import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(root, 'test/types/budget-'))

/**
 * The maximum number of types that the checker instantiates to infer one model, besides its imports
 * and bare schemas.
 */
const budgets = [
  { fields: 5, instantiations: 1_200 },
  { fields: 50, instantiations: 2_400 },
  { fields: 500, instantiations: 14_000 },
]

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the inference of a model', () => {
  it.each(budgets)(
    'of $fields fields takes at most $instantiations type instantiations',
    ({ fields, instantiations }) => {
      const bare = instantiationsOf('bare', schemas(fields))
      const modelled = instantiationsOf('modelled', `${schemas(fields)}${declaration(fields)}`)
      expect(modelled - bare).toBeGreaterThan(0)
      expect(modelled - bare).toBeLessThanOrEqual(instantiations)
    },
  )
})

function schemas(count: number): string {
  const members = Array.from({ length: count }, (_, index) => `  f${index}: ${schemaOf(index)},\n`)
  return `import { field, model, toMany, toOne, type ItemOf } from 'resourcery'\nimport { z } from 'zod'\nconst fields = {\n${members.join('')}}\n`
}

function schemaOf(index: number): string {
  const kinds = [
    'z.string()',
    'z.number().optional()',
    'field(z.boolean(), { index: true })',
    "toOne('other')",
    "toMany('other')",
  ]
  return kinds[index % kinds.length]!
}

function declaration(count: number): string {
  return `class Model extends model('thing', fields) {}\ndeclare const item: ItemOf<typeof Model>\nexport const last = item.f${count - 1}\nexport const made = new Model(item).f0\n`
}

function instantiationsOf(name: string, source: string): number {
  writeFileSync(join(folder, `${name}.ts`), `${source}export { fields }\n`)
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../tsconfig.json', include: [`${name}.ts`] }),
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  // Several checkers count shared types once each, and which files each one gets changes with any
  // new file.
  const options = ['-p', folder, '--extendedDiagnostics', '--singleThreaded']
  const report = execFileSync(process.execPath, [tsc, ...options], { encoding: 'utf8' })
  return Number(/Instantiations:\s+(\d+)/.exec(report)![1])
}
