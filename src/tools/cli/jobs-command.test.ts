import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/documentation.ts'
import { importRouters } from '../import-routers.ts'
import { jobsCommand } from './jobs-command.ts'

const folder = temporaryFolder('jobs')
/** A module is imported once, and its router is closed then. */
const moduleOf = (name: string) => join(folder, `${name}.ts`)
const modules = ['new', 'service', 'before', 'run', 'after', 'fail', 'failed', 'unknown']
let printed: string[] = []
beforeAll(() => {
  const source = `import { createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
export const router = createRouter({
  policy: rest(),
  store: sqlite('${join(folder, 'data.db')}'),
  now: () => new Date('2026-03-28T12:00:00Z'),
})
router.prepare(model('book', {}))
router.job('nightly', { every: '1 day', at: '03:00', timeZone: 'Europe/Berlin' }, () => undefined)
router.job('broken', { every: '1 hour' }, () => { throw new Error('no mail server') })
`
  for (const name of modules) writeFileSync(moduleOf(name), source)
  vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(text))
})
afterAll(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const run = async (name: string, values: Record<string, string> = {}) => {
  printed = []
  const positionals = [moduleOf(name)]
  expect(await jobsCommand.run({ values: values as never, positionals })).toBe(0)
  return printed.join('\n')
}

it('resourcery jobs makes no tables, and refuses models that need other ones', async () => {
  await expect(run('new')).rejects.toThrow(
    `This command changes no tables, and the models of ${moduleOf('new')} need other ones.`,
  )
  expect(existsSync(join(folder, 'data.db'))).toBe(false)
  const [service] = await importRouters(moduleOf('service'))
  await service!.open()
  await service!.close()
})

it('resourcery jobs prints when they ran and run next, and runs one now', async () => {
  expect(await run('before')).toBe(`broken: next run 2026-03-28T13:00:00.000Z
  is not running now
  has not run
nightly: next run 2026-03-29T01:00:00.000Z
  is not running now
  has not run`)
  expect(await run('run', { run: 'nightly' })).toBe("The job 'nightly' is done.")
  expect(await run('after')).toContain(`nightly: next run 2026-03-29T01:00:00.000Z
  is not running now
  last run for 2026-03-28T12:00:00.000Z: done after 1 attempt, from 2026-03-28T12:00:00.000Z to 2026-03-28T12:00:00.000Z`)
  await expect(run('fail', { run: 'broken' })).rejects.toThrow('no mail server')
  expect(await run('failed')).toContain('  last error: no mail server')
  await expect(run('unknown', { run: 'daily' })).rejects.toThrow(
    "Unknown job 'daily'; expected one of broken, nightly.",
  )
})
