import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { OtherWorkers, Worker } from './worker.ts'
import { WorkerPool } from './worker-pool.ts'

const timers = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const
beforeEach(() => void vi.useFakeTimers({ toFake: [...timers, 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** A worker without a process, which does what the test says. */
class FakeWorker {
  readonly pid: number
  readonly startedAtMs = performance.now()
  isReady = false
  isClosing = false
  readonly ready: Promise<void>
  readonly ended: Promise<string>
  becomeReady = (): void => {}
  end = (_how: string): void => {}
  /** For where it has to change the store. */
  readonly others: OtherWorkers
  /** What it is asked because of that. */
  readonly asked: string[] = []

  constructor(pid: number, others: OtherWorkers) {
    this.pid = pid
    this.others = others
    this.ended = new Promise((resolve) => {
      this.end = resolve
    })
    this.ready = new Promise((resolve, reject) => {
      this.becomeReady = () => {
        this.isReady = true
        resolve()
      }
      void this.ended.then((how) => reject(new Error(`${pid} ended with ${how}`)))
    })
    this.ready.catch(() => undefined)
  }

  kill(): void {
    this.end('SIGKILL')
  }

  async close(): Promise<void> {
    this.isClosing = true
    this.end('exit code 0')
  }

  async pause(): Promise<void> {
    this.asked.push('pause')
  }

  resume(): void {
    this.asked.push('resume')
  }

  forwardTo(port: number): void {
    this.asked.push(`forward to ${port}`)
  }

  stopForwardingTo(port: number): void {
    this.asked.push(`stop ${port}`)
  }

  async acceptForwarded(): Promise<number> {
    return this.pid
  }

  refuseForwarded(): void {
    this.asked.push('refuse')
  }
}

/**
 * @param starts whether the worker with this number becomes ready
 * @param hangs whether it goes on without that
 */
function poolOf(
  count: number,
  starts: (pid: number) => boolean = () => true,
  hangs: (pid: number) => boolean = () => false,
) {
  const workers: FakeWorker[] = []
  const started: number[] = []
  const reports: string[] = []
  const gaveUp = vi.fn()
  const pool = new WorkerPool({
    count,
    startTimeoutMs: 60_000,
    closeTimeoutMs: 1_000,
    start: (others) => {
      const worker = new FakeWorker(workers.length + 1, others)
      workers.push(worker)
      if (starts(worker.pid)) worker.becomeReady()
      else if (!hangs(worker.pid)) worker.end('exit code 1')
      return worker as unknown as Worker
    },
    begin: ({ pid }) => void started.push(pid!),
    report: ({ message }) => void reports.push(message),
    giveUp: gaveUp,
  })
  return { pool, workers, started, reports, gaveUp, open: () => pool.open(async () => undefined) }
}

/** Of two workers, one was killed, and the third, which replaces it, has to change the store. */
async function replacedByOneThatChanges() {
  const made = poolOf(
    2,
    (pid) => pid !== 3,
    () => true,
  )
  await made.open()
  made.workers[0]!.end('SIGKILL')
  await later(100)
  await made.workers[2]!.others.pause()
  return made
}

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms)

it('starts the first worker alone, and none where it does not start', async () => {
  const { workers, open } = poolOf(3, () => false)
  await expect(open()).rejects.toThrow('1 ended with exit code 1')
  expect(workers).toHaveLength(1)
})

it('ends those that have started where another one does not start', async () => {
  const { workers, open } = poolOf(3, (pid) => pid !== 2)
  await expect(open()).rejects.toThrow('2 ended with exit code 1')
  expect(workers.map(({ isClosing }) => isClosing)).toEqual([true, false, true])
})

it('replaces a worker that ends, later each time unless it ran well', async () => {
  const { workers, started, reports, open } = poolOf(1)
  await open()
  workers[0]!.end('SIGKILL')
  await later(99)
  expect(workers).toHaveLength(1)
  await later(1)
  expect(started).toEqual([1, 2])
  workers[1]!.end('SIGKILL')
  await later(199)
  expect(workers).toHaveLength(2)
  await later(1)
  expect(workers).toHaveLength(3)
  await later(10_000)
  workers[2]!.end('SIGSEGV')
  await later(1)
  expect(workers).toHaveLength(4)
  expect(reports).toEqual([
    'The worker 1 ended with SIGKILL.',
    'The worker 2 ended with SIGKILL.',
    'The worker 3 ended with SIGSEGV.',
  ])
})

it('gives up where no worker runs and five starts have failed', async () => {
  const { workers, gaveUp, open } = poolOf(1, (pid) => pid === 1)
  await open()
  workers[0]!.end('SIGKILL')
  await later(100 + 200 + 400 + 800)
  expect(gaveUp).not.toHaveBeenCalled()
  await later(1_600)
  expect(gaveUp).toHaveBeenCalledOnce()
})

it('does not give up while another worker runs', async () => {
  const { workers, gaveUp, open } = poolOf(2, (pid) => pid <= 2)
  await open()
  workers[0]!.end('SIGKILL')
  await later(60_000)
  expect(workers.length).toBeGreaterThan(8)
  expect(gaveUp).not.toHaveBeenCalled()
})

it('a restart ends the old workers once all new ones are ready', async () => {
  const { pool, workers, started, open } = poolOf(2)
  await open()
  await pool.restart()
  expect(started).toEqual([1, 2, 3, 4])
  expect(workers.map(({ isClosing }) => isClosing)).toEqual([true, true, false, false])
  await later(60_000)
  expect(workers).toHaveLength(4)
  workers[2]!.end('SIGKILL')
  await later(0)
  expect(workers).toHaveLength(5)
})

it('a restart that fails leaves the old workers, and ends the new ones', async () => {
  const { pool, workers, open } = poolOf(2, (pid) => pid !== 4)
  await open()
  await expect(pool.restart()).rejects.toThrow('the old ones go on. 4 ended with exit code 1')
  expect(workers.map(({ isClosing }) => isClosing)).toEqual([false, false, true, false])
  await pool.restart()
  expect(workers.map(({ isClosing }) => isClosing).slice(4)).toEqual([false, false])
})

it('calls during a restart lead to one more', async () => {
  const { pool, workers, open } = poolOf(1)
  await open()
  const first = pool.restart()
  await vi.waitUntil(() => workers.length === 2)
  await Promise.all([first, pool.restart(), pool.restart()])
  expect(workers.map(({ isClosing }) => isClosing)).toEqual([true, true, false])
})

it('restarts after the start if it is asked to before', async () => {
  const { pool, workers } = poolOf(
    1,
    () => false,
    () => true,
  )
  const opening = pool.open(async () => undefined)
  const restarting = pool.restart()
  await later(0)
  expect(workers).toHaveLength(1)
  workers[0]!.becomeReady()
  await opening
  await vi.waitUntil(() => workers.length === 2)
  workers[1]!.becomeReady()
  await restarting
  expect(workers.map(({ isClosing }) => isClosing)).toEqual([true, false])
})

it('ends a version that hangs while it starts for the next restart, and in time', async () => {
  const { pool, workers, reports, open } = poolOf(
    1,
    (pid) => pid !== 2 && pid !== 4,
    () => true,
  )
  await open()
  const hanging = expect(pool.restart()).rejects.toThrow('the old ones go on')
  await vi.waitUntil(() => workers.length === 2)
  const next = pool.restart()
  await later(29_000)
  expect(reports).toEqual([])
  await later(2_000)
  await Promise.all([hanging, next])
  expect(reports).toEqual([
    expect.stringMatching(
      /^The worker 2 is not ready after 3\d s, and another restart is asked for/,
    ),
  ])
  expect(workers[2]!.isClosing).toBe(false)

  const alone = expect(pool.restart()).rejects.toThrow('the old ones go on')
  await vi.waitUntil(() => workers.length === 4)
  await later(61_000)
  await alone
  expect(reports[1]).toMatch(/^The worker 4 is not ready after 6\d s, .*'workerStartTimeoutMs'/)
  expect(workers[2]!.isClosing).toBe(false)
})

it('lets old workers pause for a new one, and forward their requests to all that are ready', async () => {
  const { pool, workers, started, open } = poolOf(
    2,
    (pid) => pid !== 3,
    () => true,
  )
  await open()
  await workers[1]!.others.pause()
  expect(workers[0]!.asked).toEqual([])
  const restarting = pool.restart()
  await vi.waitUntil(() => workers.length === 3)
  await workers[2]!.others.pause()
  expect(started).toEqual([1, 2])
  workers[2]!.becomeReady()
  await restarting
  expect(workers.map(({ asked }) => asked)).toEqual([
    ['pause', 'forward to 3', 'forward to 4'],
    ['pause', 'forward to 3', 'forward to 4'],
    ['refuse'],
    ['refuse'],
  ])
})

it('lets old workers go on where new ones fail after the pause', async () => {
  const { pool, workers, open } = poolOf(
    2,
    (pid) => pid < 3,
    () => true,
  )
  await open()
  const failing = expect(pool.restart()).rejects.toThrow('the old ones go on')
  await vi.waitUntil(() => workers.length === 3)
  await workers[2]!.others.pause()
  workers[2]!.end('exit code 1')
  await failing
  expect(workers[0]!.asked).toEqual(['pause', 'resume'])
  workers[0]!.end('SIGKILL')
  await later(100)
  workers[3]!.becomeReady()
  await vi.waitUntil(() => workers.length === 5)
  // The failed one may have changed the store for the other old one.
  expect(workers[1]!.asked).toEqual(['pause', 'resume', 'forward to 4'])
  await pool.close(true)
})

it('lets old workers go on while the change of a new one has to wait', async () => {
  const { pool, workers, open } = poolOf(
    1,
    (pid) => pid < 2,
    () => true,
  )
  await open()
  const restarting = pool.restart()
  await vi.waitUntil(() => workers.length === 2)
  await workers[1]!.others.pause()
  workers[1]!.others.resume()
  expect(workers[0]!.asked).toEqual(['pause', 'resume'])
  await workers[1]!.others.pause()
  workers[1]!.becomeReady()
  workers[1]!.others.resume()
  await restarting
  expect(workers[0]!.asked).toEqual(['pause', 'resume', 'pause', 'forward to 2'])
})

it('keeps a new worker that has changed the store, and starts those again that fail', async () => {
  const { pool, workers, reports, open } = poolOf(
    2,
    (pid) => pid < 3 || pid > 5,
    () => true,
  )
  await open()
  const restarting = pool.restart()
  await vi.waitUntil(() => workers.length === 3)
  await workers[2]!.others.pause()
  workers[2]!.becomeReady()
  await vi.waitUntil(() => workers.length === 4)
  workers[3]!.end('exit code 1')
  await restarting
  expect(workers.map(({ isClosing }) => isClosing)).toEqual([true, true, false, false])
  expect(workers[0]!.asked).toEqual(['pause', 'forward to 3'])
  await later(100)
  expect(workers).toHaveLength(5)
  workers[4]!.end('exit code 1')
  await later(200)
  expect(workers.map(({ isReady }) => isReady)).toEqual([true, true, true, false, false, true])
  expect(reports).toEqual([
    expect.stringMatching(/^The store has changed, so .* 4 ended with exit code 1/),
    '5 ended with exit code 1',
  ])
})

it('restarts all where a worker that replaces one has changed the store', async () => {
  const { pool, workers } = await replacedByOneThatChanges()
  workers[2]!.becomeReady()
  await vi.waitUntil(() => workers.length === 5)
  await vi.waitUntil(() => workers[2]!.isClosing)
  expect(workers.map(({ isClosing }) => isClosing)).toEqual([false, true, true, false, false])
  expect(workers[1]!.asked).toEqual(['pause', 'forward to 3', 'forward to 4', 'forward to 5'])
  await later(60_000)
  expect(workers).toHaveLength(5)
  await pool.close(true)
})

it('lets the others go on where a worker that replaces one fails after the pause', async () => {
  const { pool, workers } = await replacedByOneThatChanges()
  workers[2]!.end('exit code 1')
  await later(0)
  expect(workers[1]!.asked).toEqual(['pause', 'resume'])
  await pool.close(true)
})

it('says of a restart that a close interrupts that the service closes', async () => {
  const { pool, workers, open } = poolOf(
    1,
    (pid) => pid === 1,
    () => true,
  )
  await open()
  const restarting = expect(pool.restart()).rejects.toThrow('The service closes')
  await vi.waitUntil(() => workers.length === 2)
  await pool.close(false)
  await restarting
})

it('replaces nobody once it closes', async () => {
  const { pool, workers, open } = poolOf(2)
  await open()
  workers[0]!.end('SIGKILL')
  await pool.close(false)
  await later(60_000)
  expect(workers).toHaveLength(2)
  await expect(pool.restart()).rejects.toThrow('The service closes')
})
