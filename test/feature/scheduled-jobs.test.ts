import { createRouter, model, type Router, type ScheduledJobOptions, type Store } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { ScheduledRun } from 'resourcery/types'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { stores } from '../support/stores.ts'

class Report extends model('report', { text: z.string() }) {}

const daily = { every: '1 day', at: '03:00', timeZone: 'Europe/Berlin' } as const
const pauses = { pauseMs: 1, maxPauseMs: 5 }

/** Routers of one service, whose clock stands still until it is set. */
class TestService {
  now = '2026-03-27T12:00:00Z'
  readonly errors: string[] = []

  router(store: Store, policy = rest()): Router {
    const router = createRouter({
      policy,
      store,
      now: () => new Date(this.now),
      onError: (error) => void this.errors.push((error as Error).message),
    })
    router.prepare(Report)
    onTestFinished(() => router.close())
    return router
  }
}

const until = (condition: () => unknown) =>
  vi.waitFor(() => expect(condition()).toBeTruthy(), { timeout: 15_000, interval: 5 })

/** What the record of a job says, once it says so. */
const untilReport = (router: Router, expected: object) =>
  vi.waitFor(async () => expect((await router.jobs())[0]).toMatchObject(expected), 15_000)

function at(runs: readonly ScheduledRun[]): readonly string[] {
  return runs.map(({ scheduledAt }) => scheduledAt.toISOString())
}

describe.each(stores)('A scheduled job on $name', ({ make, makeData }) => {
  it('runs at its times by the clocks of its zone, and says when it runs next', async () => {
    const service = new TestService()
    const router = service.router(await make())
    const runs: ScheduledRun[] = []
    router.job('j', daily, (run) => void runs.push(run))
    await router.open()
    expect(await router.jobs()).toEqual([
      {
        name: 'j',
        isRegistered: true,
        owner: undefined,
        lastRun: undefined,
        lastError: undefined,
        nextAt: new Date('2026-03-28T02:00:00Z'),
      },
    ])
    service.now = '2026-03-28T02:00:01Z'
    await until(() => runs.length === 1)
    await untilReport(router, {
      owner: undefined,
      lastRun: {
        scheduledAt: new Date('2026-03-28T02:00:00Z'),
        startedAt: new Date(service.now),
        endedAt: new Date(service.now),
        outcome: 'done',
        attempts: 1,
      },
      // Clocks are set forward in between.
      nextAt: new Date('2026-03-29T01:00:00Z'),
    })
    service.now = '2026-03-29T01:00:00Z'
    await until(() => runs.length === 2)
    expect(at(runs)).toEqual(['2026-03-28T02:00:00.000Z', '2026-03-29T01:00:00.000Z'])
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 1])
    expect(service.errors).toEqual([])
  })

  it('runs once late for all times that were missed while no process ran', async () => {
    const start = await makeData()
    const service = new TestService()
    const runs: ScheduledRun[] = []
    for (const now of ['2026-03-01T12:00:00Z', '2026-03-20T12:00:00Z']) {
      service.now = now
      const router = service.router(start())
      router.job('j', daily, (run) => void runs.push(run))
      await router.open()
      if (now.startsWith('2026-03-20')) {
        await until(() => runs.length === 1)
        await untilReport(router, { nextAt: new Date('2026-03-21T02:00:00Z') })
      }
      await router.close()
    }
    expect(at(runs)).toEqual(['2026-03-20T02:00:00.000Z'])
    expect(service.errors).toEqual([])
  })

  it('runs again with growing pauses until its attempts are used, and then at the next time', async () => {
    const service = new TestService()
    const router = service.router(await make())
    const runs: ScheduledRun[] = []
    router.job('j', { ...daily, attempts: 2, ...pauses }, (run) => {
      runs.push(run)
      if (runs.length < 3) throw new Error('no mail server')
    })
    await router.open()
    service.now = '2026-03-28T03:00:00Z'
    await until(() => service.errors.length === 2)
    expect(service.errors).toEqual([
      "The scheduled job 'j' failed for 2026-03-28T02:00:00.000Z, after 1 of 2 attempts: no mail server",
      "The scheduled job 'j' failed for 2026-03-28T02:00:00.000Z, after all of 2 attempts, and runs next at 2026-03-29T01:00:00.000Z: no mail server",
    ])
    await untilReport(router, {
      lastRun: { outcome: 'failed', attempts: 2 },
      lastError: 'no mail server',
      nextAt: new Date('2026-03-29T01:00:00Z'),
    })
    service.now = '2026-03-29T03:00:00Z'
    await until(() => runs.length === 3)
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 2, 1])
    await untilReport(router, { lastRun: { outcome: 'done' }, lastError: undefined })
  })

  it('commits what it writes in the transaction with the record that it is done', async () => {
    const service = new TestService()
    const router = service.router(await make())
    let calls = 0
    router.job(
      'j',
      { ...daily, inTransaction: true, ...pauses },
      async ({ items, scheduledAt }) => {
        calls++
        await items(Report).create({ id: scheduledAt.toISOString(), text: `${calls}` })
        if (calls === 1) throw new Error('after it has written')
      },
    )
    await router.open()
    service.now = '2026-03-28T03:00:00Z'
    await untilReport(router, { lastRun: { outcome: 'done', attempts: 2 } })
    expect(await router.query(Report).size()).toBe(1)
    expect((await router.items(Report).get('2026-03-28T02:00:00.000Z'))?.text).toBe('2')
  })

  it('runs in one router of several over the store', async () => {
    const start = await makeData()
    const service = new TestService()
    const store = start()
    const runs: string[] = []
    let running = 0
    let most = 0
    const routers = [rest(), jsonApi()].map((policy) => service.router(store, policy))
    for (const [index, router] of routers.entries())
      router.job('j', daily, async ({ scheduledAt }) => {
        most = Math.max(most, ++running)
        runs.push(`${index} ${scheduledAt.toISOString()}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
        running--
      })
    for (const router of routers) await router.open()
    for (const day of ['28', '29', '30']) {
      service.now = `2026-03-${day}T03:00:00Z`
      await untilReport(routers[0]!, {
        lastRun: { startedAt: new Date(service.now), outcome: 'done' },
      })
    }
    expect(runs).toHaveLength(3)
    expect(most).toBe(1)
    expect(service.errors).toEqual([])
  })

  it('runs again after the router closed meanwhile, for the same time', async () => {
    const start = await makeData()
    const service = new TestService()
    const first = service.router(start())
    const reasons: unknown[] = []
    let isRunning = false
    first.job('j', { ...daily, attempts: 1 }, async ({ signal }) => {
      isRunning = true
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      reasons.push((signal.reason as Error).message)
      throw signal.reason
    })
    await first.open()
    service.now = '2026-03-28T03:00:00Z'
    await until(() => isRunning)
    await first.close()
    expect(reasons).toEqual(['The router closes.'])

    const second = service.router(start())
    const runs: ScheduledRun[] = []
    second.job('j', { ...daily, attempts: 1 }, (run) => void runs.push(run))
    expect((await second.jobs())[0]?.lastRun?.outcome).toBe('interrupted')
    await second.open()
    await until(() => runs.length === 1)
    expect(runs[0]).toMatchObject({ attempt: 1, scheduledAt: new Date('2026-03-28T02:00:00Z') })
    expect(service.errors).toEqual([])
  })

  it('runs now on demand, and keeps its next time', async () => {
    const service = new TestService()
    const router = service.router(await make())
    const runs: ScheduledRun[] = []
    router.job('j', daily, async (run) => {
      runs.push(run)
      await run.items(Report).create({ id: `r${runs.length}`, text: 'x' })
      if (runs.length === 2) throw new Error('not this time')
    })
    await router.runJob('j')
    expect(await router.query(Report).size()).toBe(1)
    expect((await router.jobs())[0]).toMatchObject({
      lastRun: { scheduledAt: new Date(service.now), outcome: 'done' },
      nextAt: new Date('2026-03-28T02:00:00Z'),
    })
    await expect(router.runJob('j')).rejects.toThrow('not this time')
    expect((await router.jobs())[0]).toMatchObject({
      lastRun: { outcome: 'failed' },
      lastError: 'not this time',
    })
    await expect(router.runJob('k')).rejects.toThrow("The router has no job 'k'.")
  })
})

describe('A scheduled job', () => {
  const router = (): Router => new TestService().router(memory())
  const refused = (name: string, options: object, run: unknown = () => undefined) => {
    try {
      router().job(name, options as ScheduledJobOptions, run as never)
    } catch (error) {
      expect((error as Error).name).toBe('RegistrationError')
      return (error as Error).message.split('\n')
    }
    return []
  }

  it('is refused with all that is wrong', () => {
    expect(refused('a b', { every: '7 minutes', evry: 1, attempts: 0 }, 5)).toEqual([
      "job() expects a name of 1 to 64 of the characters A-Z a-z 0-9 . _ - that begins with a letter or a digit; got 'a b'.",
      "Unknown option 'evry' of job('a b'). Did you mean 'every'?",
      "The option 'attempts' of job('a b') must be an integer from 1 to 1000; got 0.",
      "The option 'every' of job('a b') must be a number of minutes that divides a day; got '7 minutes'.",
      "job('a b') expects a function as its third argument.",
    ])
    expect(refused('a', null as never)).toEqual([
      "The options of job('a') must be an object; got null.",
    ])
  })

  it('is refused when its name is used, and after the first request', async () => {
    const service = router()
    service.job('j', daily, () => undefined)
    expect(() => service.job('j', daily, () => undefined)).toThrow(
      "Two jobs of the router have the name 'j'.",
    )
    const response = await service.handle(new Request('http://localhost/reports'))
    await response.text()
    expect(() => service.job('k', daily, () => undefined)).toThrow(/first request/)
  })
})
