import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, test, vi } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../../../test/support/documentation.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import type { PlanStep } from '../../store/store-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { durationNote, planCommand, planText, startNotes, startSeconds } from './plan-command.ts'

const steps: readonly PlanStep[] = [
  { kind: 'instant', summary: 'Add a column.', sql: ['alter table a add b text'] },
  { kind: 'never', summary: 'Drop d.', sql: ['drop table d'] },
  { kind: 'refused', summary: 'e does not fit.' },
]

test('steps are printed with their kinds', () => {
  expect(planText(steps, false)).toBe(
    ['instant: Add a column.', 'never by itself: Drop d.', 'refused: e does not fit.'].join('\n'),
  )
})

test('a script has statements, and those that drop something as comments', () => {
  expect(planText(steps, true)).toBe(
    [
      '-- instant: Add a column.',
      'alter table a add b text;',
      '-- never by itself: Drop d.',
      '-- drop table d;',
      '-- refused: e does not fit.',
    ].join('\n'),
  )
})

test('a script leaves to the start what comes after items are rewritten', () => {
  const renaming: PlanStep = {
    kind: 'instant',
    summary: 'Rename a.',
    sql: ['alter table a rename to b'],
    endsOldProcesses: true,
  }
  const requiring: PlanStep = {
    kind: 'online',
    summary: 'Require c.',
    sql: ['alter table b alter c set not null'],
    followsFilling: true,
  }
  const filling: PlanStep = { kind: 'rewrite', summary: 'Fill in c.', sql: [], itemCount: 1 }
  expect(planText([renaming, requiring], true)).toContain('\nalter table a rename to b;')
  expect(planText([renaming, filling, requiring], true)).toBe(
    [
      '-- instant, ends old processes: Rename a.',
      '-- alter table a rename to b;',
      '-- rewrites items: Fill in c.',
      '-- online: Require c.',
      '-- alter table b alter c set not null;',
    ].join('\n'),
  )
})

test('the time of a start is estimated from the number of items', () => {
  expect(startSeconds(steps)).toBe(0)
  expect(
    startSeconds([
      { kind: 'rewrite', summary: '', sql: [], itemCount: 150_000 },
      { kind: 'online', summary: '', sql: [], itemCount: 1_000_000 },
    ]),
  ).toBe(32)
})

it('says what the estimated time assumes', () => {
  expect(durationNote(steps)).toEqual([])
  const [note] = durationNote([{ kind: 'rewrite', summary: '', sql: [], itemCount: 150_000 }])
  expect(note).toMatch(/^A start takes .* with items of a few hundred bytes, on two cores/)
  expect(note).toContain('A loaded machine can take several times as long.')
})

it('says nothing of a start that would refuse', () => {
  const rewrite: PlanStep = {
    kind: 'rewrite',
    summary: '',
    sql: [],
    itemCount: 150_000,
    endsOldProcesses: true,
  }
  expect(startNotes([rewrite])).toEqual([
    expect.stringContaining('A start takes'),
    expect.stringContaining('until they listen'),
  ])
  expect(startNotes([rewrite, { kind: 'refused', summary: 'e does not fit.' }])).toEqual([])
})

test('without steps there is nothing to do', () => {
  expect(planText([], false)).toBe('Nothing to do.')
  expect(planText([], true)).toBe('-- Nothing to do.')
})

describe('resourcery plan', () => {
  const folder = temporaryFolder('plan')
  const file = join(folder, 'router.ts')
  const plan = (values: Record<string, boolean>, module = file) =>
    planCommand.run({ values: values as never, positionals: [module] })
  let printed: string[] = []
  beforeAll(() => {
    writeFileSync(
      file,
      `import { createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'
const store = sqlite('${join(folder, 'data.db')}')
export const router = createRouter({ policy: rest(), store })
router.prepare(model('book', { title: z.string() }))
`,
    )
    vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(text))
  })
  afterAll(() => {
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true })
  })

  it('exits with 1 under --check while a start has something to do, and changes nothing', async () => {
    expect(await plan({})).toBe(0)
    expect(await plan({ check: true })).toBe(1)
    expect(printed).toEqual(
      Array.from(
        { length: 2 },
        () => `instant: Create the file '${folder}/data.db' and its tables.`,
      ),
    )
    expect(existsSync(join(folder, 'data.db'))).toBe(false)
  })

  it('exits with 0 when a start has done it', async () => {
    const store = sqlite(join(folder, 'data.db'))
    await store.open(describeModels([model('book', { title: z.string() })]))
    await store.close()
    printed = []
    vi.resetModules()
    expect(await plan({ check: true })).toBe(0)
    expect(printed).toEqual(['Nothing to do.'])
  })

  it('exits with 2 if a start would refuse, with --check and without', async () => {
    const changed = join(folder, 'changed-router.ts')
    writeFileSync(
      changed,
      `import { createRouter, field, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'
const store = sqlite('${join(folder, 'data.db')}')
export const router = createRouter({ policy: rest(), store })
router.prepare(model('book', { title: field(z.string(), { unique: true }) }))
`,
    )
    const store = sqlite(join(folder, 'data.db'))
    const [book] = describeModels([model('book', { title: z.string() })])
    await store.open([book!])
    await store.write(async (transaction) => {
      for (const id of ['1', '2'])
        await transaction.insert(book!, createStoredItem(book!, { id, title: 'same' }, 1))
    })
    await store.close()
    printed = []
    expect(await plan({}, changed)).toBe(2)
    expect(await plan({ check: true }, changed)).toBe(2)
    expect(printed[0]).toContain('refused: ')
  })

  it('says that no statement fills in a field', async () => {
    const filling = join(folder, 'filling.ts')
    const data = join(folder, 'filled.db')
    writeFileSync(
      filling,
      `import { createRouter, field, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'
const store = sqlite('${data}', { layout: 'tables' })
export const router = createRouter({ policy: rest(), store })
router.prepare(
  model('book', { title: z.string(), slug: field(z.string(), { backfill: (old) => old.id }) }),
)
`,
    )
    const store = sqlite(data, { layout: 'tables' })
    const [book] = describeModels([model('book', { title: z.string() })])
    await store.open([book!])
    await store.write((transaction) =>
      transaction.insert(book!, createStoredItem(book!, { id: '1', title: 'a' }, 1)),
    )
    await store.close()
    printed = []
    const note = 'No statement does the steps that rewrite items: the next start does them.'
    await plan({}, filling)
    expect(printed.join('\n')).not.toContain(note)
    await plan({ sql: true }, filling)
    expect(printed.at(-1)).toContain(`-- ${note}`)
    expect(printed.join('\n')).toContain('\n-- create trigger ')
    expect(printed.join('\n')).not.toContain('\ncreate trigger ')
  })
})
