import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { field } from '../model/declare/field.ts'
import { model } from '../model/declare/model.ts'
import { rest } from '../policy/rest/rest.ts'
import { sqlite } from '../store/sqlite/sqlite.ts'
import type { StartProgress } from '../store/store.ts'
import { createRouter } from './create-router.ts'
import { progressLines } from './start-progress.ts'

test('a long start prints a line each five seconds, with the time that is left', () => {
  let time = 0
  const lines: string[] = []
  const report = progressLines({ print: (line) => lines.push(line), now: () => time })
  const step = "Filling in 'slug' of 'talks'"
  for (time = 1_000; time <= 16_000; time += 1_000) report({ step, done: time, total: 100_000 })
  expect(lines).toEqual([
    `${step}: 5 000 of 100 000 items, about 95 s left.`,
    `${step}: 10 000 of 100 000 items, about 90 s left.`,
    `${step}: 15 000 of 100 000 items, about 85 s left.`,
  ])
})

test('a short start prints nothing', () => {
  let time = 0
  const lines: string[] = []
  const report = progressLines({ print: (line) => lines.push(line), now: () => time })
  for (; time < 4_900; time += 100) report({ step: 's', done: time, total: 5_000 })
  expect(lines).toEqual([])
})

test.each([
  {
    layout: undefined,
    steps: ["Filling in 'slug' of 'talks'", "Bringing 'talks' into the form of the model"],
  },
  { layout: 'tables' as const, steps: ["Filling in 'slug' of 'talks'"] },
])(
  'opening a router reports each batch of a large table (layout: $layout)',
  async ({ layout, steps }) => {
    const folder = mkdtempSync(join(tmpdir(), 'progress-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const progress: StartProgress[] = []
    const start = async (talk: ReturnType<typeof newModel>, count = 0) => {
      const store = sqlite(join(folder, 'data.db'), {
        durability: 'normal',
        ...(layout && { layout }),
      })
      const router = createRouter({
        policy: rest(),
        store,
        onProgress: (part) => progress.push(part),
      })
      router.prepare(talk)
      await router.open()
      const items = Array.from({ length: count }, (_, index) => ({ id: `t${index}`, title: 't' }))
      await router.load(talk, items)
      await router.close()
    }
    const newModel = () => model('talk', { title: z.string() })
    await start(newModel(), 2_500)
    expect(progress).toEqual([])
    const slug = field(z.string(), { backfill: ({ id }) => id })
    await start(model('talk', { title: z.string(), slug }) as never)
    expect([...new Set(progress.map(({ step }) => step))]).toEqual(steps)
    for (const step of steps) {
      const reports = progress.filter((part) => part.step === step)
      expect(reports.length).toBeGreaterThan(2)
      expect(reports.at(-1)).toEqual({ step, done: 2_500, total: 2_500 })
      expect(reports.map(({ done }) => done)).toEqual(
        reports.map(({ done }) => done).sort((one, other) => one - other),
      )
    }
  },
)
