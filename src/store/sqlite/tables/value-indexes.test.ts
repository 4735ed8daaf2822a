import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { dateTime } from '../../../model/declare/date-time.ts'
import { decimal } from '../../../model/declare/decimal.ts'
import { field } from '../../../model/declare/field.ts'
import { model } from '../../../model/declare/model.ts'
import { toOne } from '../../../model/declare/relation.ts'
import { describeModels } from '../../../model/describe/describe-models.ts'
import type { ModelDescription } from '../../../model/model-description.ts'
import { allOf, toFieldPath } from '../../../query/conditions.ts'
import { toInstantKey } from '../../../query/instant.ts'
import {
  allItemsPlan,
  type Condition,
  type PageRange,
  type QueryPlan,
  type SortDirection,
} from '../../../query/query-plan.ts'
import type { Statement } from '../../sql/statement-cache.ts'
import type { Store } from '../../store.ts'
import { type Database, loadDriver } from '../driver.ts'
import { sqlite } from '../sqlite.ts'

const { statements } = vi.hoisted(() => ({ statements: [] as Statement[] }))
vi.mock('../connection.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../connection.ts')>()
  return {
    ...original,
    connection: (...args: Parameters<typeof original.connection>) => {
      const opened = original.connection(...args)
      const { prepare } = opened
      return Object.assign(opened, {
        prepare: (sql: string) => {
          const statement = prepare(sql)
          const all = (parameters: readonly unknown[]) => {
            statements.push({ sql, parameters })
            return statement.all(parameters)
          }
          return { ...statement, all }
        },
      })
    },
  }
})

const [person, event] = describeModels([
  model('person', { name: z.string(), joinedAt: field(dateTime(), { index: true }) }),
  model(
    'event',
    {
      heldAt: field(dateTime(), { index: true }),
      endedAt: field(dateTime({ optional: true }), { index: true }),
      announcedAt: field(dateTime(), { unique: true }),
      price: field(decimal(8, 2), { index: true }),
      isPublic: z.boolean(),
      host: toOne('person'),
    },
    { indexes: [['isPublic', 'announcedAt']] },
  ),
]) as readonly [ModelDescription, ModelDescription]

/** As other programs write date-times in the tables of the store. */
const writtenAt = (day: number, form: number): string => {
  const date = `2024-${String(1 + Math.floor(day / 28)).padStart(2, '0')}-${String(1 + (day % 28)).padStart(2, '0')}`
  return [
    `${date}T10:00:00Z`,
    `${date} 10:00:00`,
    `${date}T10:00:00.250Z`,
    `${date}T00:30:00+14:00`,
    `${date}T23:30:00-14:00`,
  ][form]!
}

interface Row {
  readonly heldAt: string
  readonly endedAt: string | null
  readonly announcedAt: string
  readonly price: string
  readonly host: string
}

let folder: string
let file: string
let other: Database
let store: Store
const rows = new Map<string, Row>()
const joinedAt = new Map<string, string>()

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resourcery-'))
  file = join(folder, 'tables.db')
  store = sqlite(file, { layout: 'tables', durability: 'normal' })
  await store.open([person, event])
  other = (await loadDriver()).open(file, { readOnly: false })
  other.exec('begin')
  const insertPerson = other.prepare('insert into people (id, name, joined_at) values (?, ?, ?)')
  for (let number = 1; number <= 40; number++) {
    const id = `p-${number}`
    joinedAt.set(id, writtenAt((number * 13) % 280, number % 5))
    insertPerson.run([id, `Name ${number}`, joinedAt.get(id)])
  }
  const insert = other.prepare(
    'insert into events (id, held_at, ended_at, announced_at, price, is_public, host_id) values (?, ?, ?, ?, ?, ?, ?)',
  )
  for (let number = 1; number <= 3_000; number++) {
    const row: Row = {
      heldAt: writtenAt((number * 37) % 280, number % 5),
      endedAt: number % 9 === 0 ? null : writtenAt((number * 41) % 280, number % 5),
      announcedAt: new Date((1_700_000_000 + ((number * 7) % 3_001) * 60) * 1_000).toISOString(),
      price: ((number * 31) % 900).toFixed(2),
      host: `p-${1 + (number % 40)}`,
    }
    const id = `e-${String(number).padStart(4, '0')}`
    rows.set(id, row)
    insert.run([
      id,
      row.heldAt,
      row.endedAt,
      row.announcedAt,
      row.price,
      number % 3 > 0 ? 1 : 0,
      row.host,
    ])
  }
  other.exec('commit')
  statements.length = 0
})

afterEach(async () => {
  await store.close()
  other.close()
  await rm(folder, { recursive: true, force: true })
})

const page = (limit: number, offset = 0): PageRange => ({ kind: 'offset', offset, limit })
const sortedBy = (name: string, direction: SortDirection, pageRange: PageRange): QueryPlan => ({
  ...allItemsPlan,
  sort: [{ path: toFieldPath(name), direction }],
  pageRange,
})
const entriesOf = async (plan: QueryPlan) => (await store.page(event, plan)).entries
const idsOf = async (plan: QueryPlan) => (await entriesOf(plan)).map(({ id }) => id)

/** How SQLite executes the only statement that ran. */
function stepsOfStatement(): string {
  expect(statements).toHaveLength(1)
  const { sql, parameters } = statements[0]!
  return other
    .prepare(`explain query plan ${sql.replaceAll(/check_interrupt\([^()]*\)/g, 'true')}`)
    .all(parameters)
    .map((row) => row[3])
    .join('\n')
}

const instantOf = (text: string | null) =>
  text === null ? null : toInstantKey(text.replace(/^(....-..-..) /, '$1T'))
const keysOf: Readonly<Record<string, (row: Row) => string | number | null>> = {
  heldAt: ({ heldAt }) => instantOf(heldAt),
  endedAt: ({ endedAt }) => instantOf(endedAt),
  announcedAt: ({ announcedAt }) => instantOf(announcedAt),
  price: ({ price }) => Number(price),
  'host.joinedAt': ({ host }) => instantOf(joinedAt.get(host)!),
}

/** The ids in order, null first, and those of equal values by themselves. */
function sorted(name: string, direction: SortDirection): string[] {
  const keyed = [...rows].map(([id, row]) => ({ id, key: keysOf[name]!(row) }))
  keyed.sort((one, another) => {
    if (one.key === another.key) return one.id < another.id ? -1 : 1
    if (one.key === null || another.key === null) return one.key === null ? -1 : 1
    return one.key < another.key ? -1 : 1
  })
  const ids = keyed.map(({ id }) => id)
  return direction === 'asc' ? ids : ids.reverse()
}

const own = ['heldAt', 'endedAt', 'announcedAt', 'price'].flatMap((name) =>
  (['asc', 'desc'] as const).map((direction) => ({ name, direction })),
)

it.each(own)('reads pages sorted by $name $direction from its index', async (sort) => {
  const { name, direction } = sort
  const expected = sorted(name, direction)
  const steps: string[] = []
  const read = async (pageRange: PageRange) => {
    statements.length = 0
    const entries = await entriesOf(sortedBy(name, direction, pageRange))
    steps.push(stepsOfStatement())
    return entries
  }
  let pageRange = page(200)
  const seen: string[] = []
  for (;;) {
    const entries = await read(pageRange)
    seen.push(...entries.map(({ id }) => id))
    if (entries.length < 200) break
    pageRange = { kind: 'after', position: entries.at(-1)!.position, limit: 200 }
  }
  expect(seen).toEqual(expected)
  const [entry] = await read(page(1, 500))
  const before = await read({ kind: 'before', position: entry!.position, limit: 30 })
  expect(before.map(({ id }) => id)).toEqual(expected.slice(470, 500))
  // Pages by offset begin at the start of the index, those by cursor within it.
  for (const executed of [steps[0], steps.at(-2)])
    expect(executed).toMatch(/^SCAN t USING INDEX events_\w+$/)
  for (const executed of [...steps.slice(1, -2), steps.at(-1)!]) {
    // Rows without a value are another range, of which the page is put in order.
    const ranges = executed.match(/(SEARCH|SCAN) t .*/g)
    for (const range of ranges!) expect(range).toMatch(/^SEARCH t USING INDEX events_\w+ \(<expr>/)
    expect(executed).not.toMatch(/PRIMARY KEY|SEARCH t .*\n.*B-TREE/)
  }
})

it('pages by keys after the id too, which order nothing', async () => {
  for (const name of ['heldAt', 'endedAt'])
    for (const direction of ['asc', 'desc'] as const) {
      const sort = [name, 'id', 'price'].map((key) => ({ path: toFieldPath(key), direction }))
      const seen: string[] = []
      let pageRange = page(250)
      for (;;) {
        const entries = await entriesOf({ ...allItemsPlan, sort, pageRange })
        seen.push(...entries.map(({ id }) => id))
        if (entries.length < 250) break
        pageRange = { kind: 'after', position: entries.at(-1)!.position, limit: 250 }
      }
      expect(seen).toEqual(sorted(name, direction))
    }
})

it('filters by the index that sorts', async () => {
  const compare = (operator: 'greaterThanOrEqual' | 'lessThan', value: string): Condition => ({
    kind: 'compare',
    path: toFieldPath('heldAt'),
    operator,
    value,
  })
  const [from, until] = ['2024-03-05T23:59:59Z', '2024-03-20T00:00:00+02:00'] as const
  const condition = allOf([compare('greaterThanOrEqual', from), compare('lessThan', until)])
  const expected = sorted('heldAt', 'asc').filter((id) => {
    const key = instantOf(rows.get(id)!.heldAt)!
    return key >= toInstantKey(from) && key < toInstantKey(until)
  })
  expect(await idsOf({ ...sortedBy('heldAt', 'asc', page(50)), condition })).toEqual(
    expected.slice(0, 50),
  )
  expect(stepsOfStatement()).toBe('SEARCH t USING INDEX events_held_at_idx (<expr>>? AND <expr><?)')
})

it('reads the rows of equal values in the order of the index over several fields', async () => {
  const isPublic: Condition = {
    kind: 'compare',
    path: toFieldPath('isPublic'),
    operator: 'equal',
    value: true,
  }
  const expected = sorted('announcedAt', 'desc').filter((id) => Number(id.slice(2)) % 3 > 0)
  const plan = { ...sortedBy('announcedAt', 'desc', page(50)), condition: isPublic }
  const entries = await entriesOf(plan)
  statements.length = 0
  const after: PageRange = { kind: 'after', position: entries.at(-1)!.position, limit: 50 }
  expect(await idsOf({ ...plan, pageRange: after })).toEqual(expected.slice(50, 100))
  expect(stepsOfStatement()).toBe(
    'SEARCH t USING INDEX events_is_public_announced_at_idx (<expr>=? AND <expr><?)',
  )
})

it('reads related items in the order of their date-times', async () => {
  for (const direction of ['asc', 'desc'] as const) {
    statements.length = 0
    const expected = sorted('host.joinedAt', direction)
    expect(await idsOf(sortedBy('host.joinedAt', direction, page(60)))).toEqual(
      expected.slice(0, 60),
    )
    expect(stepsOfStatement()).toMatch(
      /SCAN r\d+ USING (COVERING )?INDEX people_joined_at_idx\nSEARCH t USING (COVERING )?INDEX events_host_id_idx/,
    )
  }
})

it.each(['text', 'datetime'])(
  'uses such an index of another program, which the plan has, over a column of the type %s',
  async (type) => {
    await store.close()
    other.exec(`
      create table meetings (id text primary key, held_at ${type} not null);
      insert into meetings select id, held_at from events where held_at like '%Z';
      create index by_text on meetings (held_at)`)
    const meetings = describeModels([
      model('meeting', { heldAt: field(dateTime(), { index: true, column: 'held_at' }) }),
    ])
    const [meeting] = meetings as readonly [ModelDescription]
    const open = () => {
      store = sqlite(file, { layout: 'tables', manage: false, durability: 'normal' })
      return store.open(meetings)
    }
    const plan = sortedBy('heldAt', 'desc', page(50))
    await open()
    const before = (await store.page(meeting, plan)).entries
    const steps = await store.admin!.plan!(meetings)
    expect(steps).toEqual([
      {
        kind: 'never',
        summary:
          "Create an index over the date-times of 'held_at' of 'meetings' as they compare. Until then lists that are filtered or sorted by 'heldAt' compute this for a range of the index of the column, or for all items.",
        sql: [expect.stringMatching(/^create index "meetings_held_at_idx_[0-9a-f]{8}" on /)],
      },
    ])
    for (const step of steps) if (step.kind === 'never') other.exec(step.sql.join(';'))
    await store.close()
    await open()
    expect(await store.admin!.plan!(meetings)).toEqual([])
    statements.length = 0
    expect((await store.page(meeting, plan)).entries).toEqual(before)
    const executed = stepsOfStatement()
    expect(executed).toMatch(/SCAN t USING (COVERING )?INDEX meetings_held_at_idx_/)
    expect(executed).not.toMatch(/TEMP B-TREE|by_text/)
  },
)

it('adds an index beside one that an earlier version made for another form of values', async () => {
  const indexNames = () =>
    other
      .prepare("select name from sqlite_schema where name like 'events_held_at%' order by name")
      .all([])
      .map(([name]) => String(name))
  await store.close()
  other.exec(
    'drop index events_held_at_idx; create index events_held_at_idx on events (substr(held_at, 1, 19) asc, id asc)',
  )
  const drop = {
    kind: 'never',
    summary:
      "Drop the index 'events_held_at_idx' of 'events', which only processes of an earlier version use.",
    sql: ['drop index "events_held_at_idx"'],
  }
  store = sqlite(file, { layout: 'tables', durability: 'normal' })
  const plan = await store.admin!.plan!([person, event])
  expect(plan).toMatchObject([
    { kind: 'online', summary: "Create an index over 'held_at' of 'events'.", itemCount: 3_000 },
    drop,
  ])
  await store.open([person, event])
  expect(indexNames()).toEqual([
    'events_held_at_idx',
    expect.stringMatching(/^events_held_at_idx_[0-9a-f]{8}$/),
  ])
  // A person drops it.
  for (const isDropped of [false, true]) {
    if (isDropped) other.exec(drop.sql[0]!)
    await store.close()
    store = sqlite(file, { layout: 'tables', durability: 'normal' })
    expect(await store.admin!.plan!([person, event])).toEqual(isDropped ? [] : [drop])
    await store.open([person, event])
    statements.length = 0
    const after: PageRange = { kind: 'after', position: ['2024-05-01T00:00:00', ''], limit: 20 }
    await entriesOf(sortedBy('heldAt', 'asc', after))
    expect(stepsOfStatement()).toMatch(
      /^SEARCH t USING INDEX events_held_at_idx_[0-9a-f]{8} \(<expr>>\?\)$/,
    )
  }
  expect(indexNames()).toHaveLength(1)
})
