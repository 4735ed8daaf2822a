import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/documentation.ts'
import { checkCommand } from './check-command.ts'
import { copyCommand } from './copy-command.ts'
import { eraseCommand } from './erase-command.ts'
import { jobsCommand } from './jobs-command.ts'
import { planCommand } from './plan-command.ts'
import { pruneCommand } from './prune-command.ts'

describe('Commands on a router with several stores', () => {
  const folder = temporaryFolder('stores-by-caller')
  let printed: string[] = []
  /** A command closes what the module has opened, so each has a module of its own. */
  let fileCount = 0
  const newFile = (): string => {
    const file = join(folder, `router-${fileCount++}.ts`)
    writeFileSync(
      file,
      `import { createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'
const groups = ['north', 'south']
export const router = createRouter({
  policy: rest(),
  basePath: '/api',
  docsPage: true,
  security: {
    authentication: [{
      name: 'gateway',
      scheme: { type: 'apiKey', in: 'header', name: 'X-User' },
      authenticate: ({ headers: { 'x-user': group } }) =>
        group === undefined ? undefined
        : groups.includes(group) ? { caller: { id: group, group } }
        : { refused: 'Unknown user.' },
    }],
    callerSchema: z.object({ id: z.string(), group: z.string() }),
  },
  stores: { north: sqlite('${folder}/north.db'), south: sqlite('${folder}/south.db') },
  store: (caller) => caller?.group,
})
router.prepare(model('book', { title: z.string().min(1) }))
router.job('tidy', { every: '1 day', at: '03:00', timeZone: 'UTC' }, async () => {})
`,
    )
    return file
  }
  beforeAll(() => {
    vi.spyOn(console, 'log').mockImplementation((text) => void printed.push(text))
  })
  beforeEach(() => {
    printed = []
  })
  afterAll(() => {
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true })
  })
  const run = (command: typeof planCommand, values: object = {}, ...others: string[]) =>
    command.run({ values: values as never, positionals: [newFile(), ...others] })

  it('refuse those that need one store', async () => {
    const several = 'The router has several stores, of which each has data of its own.'
    await expect(run(copyCommand, {}, `sqlite:${folder}/copy.db`)).rejects.toThrow(several)
    await expect(run(eraseCommand, {}, 'book', 'emma')).rejects.toThrow(several)
  })

  it('plan and prune all of them', async () => {
    expect(await run(planCommand)).toBe(0)
    expect(printed).toEqual([
      ['north', 'south']
        .map((name) => `instant: Create the file '${folder}/${name}.db' and its tables.`)
        .join('\n'),
    ])
    printed = []
    expect(await run(pruneCommand)).toBe(0)
    expect(printed).toEqual(['Nothing to drop.'])
  })

  it('check it as callers of different stores, who learn nothing of each other', async () => {
    const values = { runs: '1', seed: '7', as: ['north=X-User: north,south=X-User: south'] }
    expect(await run(checkCommand, values)).toBe(0)
    expect(printed.join('\n')).toContain('No caller learns of what is hidden from it.')
  })

  it('report jobs with the names of their stores', async () => {
    const { router } = (await import(newFile())) as {
      router: { open(): Promise<void>; close(): Promise<void> }
    }
    await router.open()
    await router.close()
    expect(await run(jobsCommand)).toBe(0)
    expect(printed.join('\n')).toMatch(/^tidy in north: next run .*^tidy in south: next run /ms)
  })
})
