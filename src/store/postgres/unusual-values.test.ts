import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { everyPage } from '../../../test/support/every-page.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { idEquals, negate, never } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { Store } from '../store.ts'
import { postgres } from './postgres-store.ts'

const instant = z.iso.datetime({ offset: true })
const dates = ['infinity', '-infinity', '0044-03-15 BC', '12024-01-01', '9999-12-31', '2024-01-01']
const instants = [
  ...dates,
  '2024-01-01 00:00:00.000001',
  '0044-03-15 10:00 BC',
  '9999-12-31 23:59:59.999999',
]
const numbers = ['NaN', '0', '-1.5', '0.30000000000000004', '123456789012345678901234567890.12']
const doubles = [...numbers, 'Infinity', '-Infinity', '5e-324', '1e300']
const integers = ['0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808']

const columns = {
  day: ['date', z.iso.date(), dates],
  at: ['timestamptz', instant, instants],
  local: ['timestamp', instant, instants],
  exact: ['numeric', z.string(), [...numbers, 'Infinity', '-Infinity']],
  price: ['numeric', z.number(), [...numbers, 'Infinity', '-Infinity']],
  wide: ['numeric', z.int(), integers],
  ratio: ['double precision', z.number(), doubles],
  single: ['real', z.number(), ['NaN', '0.1', 'Infinity', '-Infinity', '3e38', '1e-45']],
  big: ['bigint', z.int(), integers],
  digits: ['bigint', z.string(), integers],
  amount: ['bigint', z.number(), integers],
  flag: ['boolean', z.boolean(), ['true', 'false']],
  title: ['text', z.string(), ['', 'abc', '\u{10FFFF}', "a'b", 'é']],
  clock: ['time', z.string(), ['24:00', '00:00']],
  wait: ['interval', z.string(), ['-1 month 3 days', '0', '178000000 years']],
  span: ['tstzrange', z.string(), ['empty', '(,)', '[infinity,infinity]']],
} as const satisfies Record<string, readonly [string, z.ZodType, readonly string[]]>

const names = Object.keys(columns) as (keyof typeof columns)[]

const [Value] = describeModels([
  model(
    'value',
    Object.fromEntries(names.map((name) => [name, (columns[name][1] as z.ZodType).nullish()])),
    { table: 'values' },
  ),
])

describePostgres('Values that JSON or a schema cannot have', () => {
  let database: TestDatabase
  let store: Store

  beforeAll(async () => {
    database = await newDatabase()
    const run = async (sql: string) => (await sharedServer()).run(sql, [], database.name)
    const definitions = names.map((name) => `${name} ${columns[name][0]}`)
    await run(`create table "values" (id text primary key, ${definitions.join()})`)
    for (const name of names) {
      const rows = [null, ...columns[name][2]].map((value, index) => {
        const text = value === null ? 'null' : `'${value.replaceAll("'", "''")}'`
        return `('${name}-${index}', ${text})`
      })
      await run(`insert into "values" (id, ${name}) values ${rows.join()}`)
    }
    store = postgres(database.url, { maxConnections: 3 })
    await store.open([Value!])
  }, 120_000)
  afterAll(async () => {
    await store?.close()
    await database?.drop()
  })
  const idsOf = (name: keyof typeof columns) =>
    [null, ...columns[name][2]].map((_, index) => `${name}-${index}`)
  const rowsOf = (name: string): Condition => ({
    kind: 'text',
    path: { names: ['id'] },
    operator: 'startsWith',
    value: `${name}-`,
  })
  const shown = async (id: string) => {
    const item = await store.find(Value!, idEquals(id))
    const [name] = id.split('-')
    return (JSON.parse(item!.text) as Record<string, unknown>)[name!] ?? null
  }

  it.each(
    names.flatMap((name) => (['asc', 'desc'] as const).map((direction) => ({ name, direction }))),
  )(
    'are sorted by $name $direction on pages that show each item once',
    async ({ name, direction }) => {
      const sort = [{ path: { names: [name] }, direction }]
      const pages = await everyPage(store, Value!, rowsOf(name), sort)
      expect(pages.toSorted()).toEqual(idsOf(name).toSorted())
      const guards = [{ depth: 0, condition: negate(never) }]
      const guarded = sort.map((key) => ({ ...key, path: { ...key.path, guards } }))
      expect(await everyPage(store, Value!, rowsOf(name), guarded)).toEqual(pages)
    },
  )

  it.each(names)('are null where %s is shown as null', async (name) => {
    const path = { names: [name] }
    const isNull: Condition = { kind: 'compare', path, operator: 'equal', value: null }
    for (const id of idsOf(name)) {
      const isShown = (await shown(id)) !== null
      const condition = (operand: Condition): Condition => ({
        kind: 'and',
        conditions: [idEquals(id), operand],
      })
      expect(await store.count(Value!, condition(isNull)), id).toBe(isShown ? 0 : 1)
      expect(await store.count(Value!, condition(negate(isNull))), id).toBe(isShown ? 1 : 0)
      const isNullWhere = (guard: Condition): Condition => ({
        ...isNull,
        path: { ...path, guards: [{ depth: 0, condition: guard }] },
      })
      const shownByGuard = condition(isNullWhere(idEquals(id)))
      expect(await store.count(Value!, shownByGuard), id).toBe(isShown ? 0 : 1)
      const hiddenByGuard = condition(isNullWhere(idEquals('none')))
      expect(await store.count(Value!, hiddenByGuard), id).toBe(1)
    }
  })

  it('are shown as null where they are no dates of four digits', async () => {
    const values = await Promise.all(idsOf('day').map(shown))
    expect(values).toEqual([null, null, null, null, null, '9999-12-31', '2024-01-01'])
  })
})
