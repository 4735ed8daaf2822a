import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/documentation.ts'
import { importRouters } from '../import-routers.ts'
import { consumersCommand } from './consumers-command.ts'

const folder = temporaryFolder('consumers')
/** A module is imported once, and its router is closed then. */
const modules = ['service', 'list', 'retry', 'unknown'].map((name) => join(folder, `${name}.ts`))
const [serviceModule, listModule, retryModule, unknownModule] = modules as [
  string,
  string,
  string,
  string,
]
let printed: string[] = []
beforeAll(() => {
  const source = `import { createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'
export const router = createRouter({
  policy: rest(),
  store: sqlite('${join(folder, 'data.db')}'),
  changes: true,
  onError: () => undefined,
})
const Booking = model('booking', { seat: z.string() })
router.prepare(Booking)
const options = { models: [Booking], from: 'start', attempts: 2, pauseMs: 1 } as const
router.consume('mailer', options, (changes) => {
  if (changes.some(({ id }) => id === 'bad')) throw new Error('bad address')
})
`
  for (const module of modules) writeFileSync(module, source)
  vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(text))
})
afterAll(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const run = async (module: string, values: Record<string, string> = {}) => {
  printed = []
  expect(await consumersCommand.run({ values: values as never, positionals: [module] })).toBe(0)
  return printed.join('\n').replaceAll(/\d{4}-[\d:.T-]+Z/g, '<time>')
}

it('resourcery consumers prints how far they are, and repeats what is put aside', async () => {
  const service = (await importRouters(serviceModule))[0]!
  onTestFinished(() => service.close())
  await service.open()
  for (const id of ['bad', 'good'])
    await service.handle(
      new Request('http://localhost/bookings', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ booking: { id, seat: id } }),
      }),
    )
  await vi.waitFor(async () => expect((await service.consumers())[0]?.aside).toHaveLength(1))
  await vi.waitFor(async () => expect((await service.consumers())[0]?.pendingCount).toBe(0))
  const text = await run(listModule)
  expect(text.replace(/runs in .*/, 'runs in <process>')).toBe(
    `mailer: has done all changes
  runs in <process>
  last error, <time>: bad address
  1 change put aside:
    create of the booking 'bad', <time>: 2 attempts, bad address`,
  )
  expect(await run(retryModule, { retry: 'mailer' })).toMatch(
    /^The process .* repeats 1 change within seconds\.$/,
  )
  await vi.waitFor(
    async () => expect((await service.consumers())[0]?.aside[0]?.attempts).toBe(3),
    10_000,
  )
  await expect(run(unknownModule, { retry: 'mail' })).rejects.toThrow(
    "Unknown consumer 'mail'; expected one of mailer.",
  )
})
