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

describe('the paths of queries', () => {
  it('of 100 models that name each other take at most 4 500 type instantiations for each', () => {
    const models = modelsThatNameEachOther(100)
    const declared = instantiationsOf('declared', models)
    const queried = instantiationsOf('queried', `${models}${queriesOf(100)}`)
    expect(queried - declared).toBeGreaterThan(0)
    expect(queried - declared).toBeLessThanOrEqual(100 * 4_500)
  })
})

/** Each has three relations to one item of other models, so that there are many paths. */
function modelsThatNameEachOther(count: number): string {
  const related = (index: number, distance: number) => (index + distance) % count
  const models = Array.from({ length: count }, (_, index) => {
    const [next, other, third] = [1, 7, 13].map((distance) => related(index, distance))
    return `export class Model${index} extends model('model${index}', {
  name: z.string(),
  size: z.number(),
  open: z.boolean().default(true),
  day: z.iso.date().optional(),
  tags: z.array(z.string()).default([]),
  box: z.object({ width: z.number(), label: z.string().optional() }).optional(),
  next: toOne<Model${next}>('model${next}'),
  other: toOne<Model${other}>('model${other}', { optional: true }),
  third: toOne<Model${third}>('model${third}', { optional: true }),
  many: toMany<Model${other}>('model${other}'),
}) {}\n`
  })
  return `import { model, type Router, toMany, toOne } from 'resourcery'\nimport { z } from 'zod'\ndeclare const router: Router\n${models.join('')}`
}

function queriesOf(count: number): string {
  return Array.from(
    { length: count },
    (_, index) => `
router.query(Model${index}).where('next.other.name').equal('x').sort('third.next.day')
router.prepare(Model${index}).use({ query: { any: (query) => query.where('open').equal(true) } })`,
  ).join('')
}

function schemas(count: number): string {
  const members = Array.from({ length: count }, (_, index) => `  f${index}: ${schemaOf(index)},\n`)
  return `import { field, model, toMany, toOne, type ItemOf } from 'resourcery'\nimport { z } from 'zod'\nexport const fields = {\n${members.join('')}}\n`
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
  writeFileSync(join(folder, `${name}.ts`), source)
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
