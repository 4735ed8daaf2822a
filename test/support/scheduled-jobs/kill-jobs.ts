import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRouter, model, type Store } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { vi } from 'vitest'
import { z } from 'zod'
import { type ServiceProcess, startService } from '../service-process.ts'

/** What two processes did, of which each that ran a job was killed. */
export interface JobKillOutcome {
  /** The hours of which the run was killed. */
  readonly killed: readonly string[]
  /** The hours of runs that ended, in the order of their ends. */
  readonly ended: readonly string[]
  /** Runs that began while another one ran, in a process that was not killed. */
  readonly overlaps: readonly string[]
  /** The hours of reports, which are written exactly once. */
  readonly reports: readonly string[]
}

interface Line {
  readonly event: string
  readonly pid: string
  readonly hour: string
}

const service = fileURLToPath(new URL('nightly-service.mjs', import.meta.url))
/** Longer than it takes until another process runs the job. */
const hourMs = 20_000
const timeoutMs = 4 * hourMs

class Report extends model('report', { hour: z.string() }) {}

/** @param url of the store: `sqlite:<file>`, or one of PostgreSQL */
export async function killJobs(url: string, kills: number): Promise<JobKillOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'jobs-'))
  const file = join(folder, 'runs.txt')
  // The same hour for all processes, from the beginning of one.
  const start = Math.floor(Date.now() / 3_600_000) * 3_600_000
  const processes: ServiceProcess[] = []
  const pids: string[] = []
  const begin = async (index: number): Promise<void> => {
    processes[index] = startService(service, [url, file, String(start), String(hourMs)])
    const line = await processes[index].matched(/^open (\d+)$/m)
    pids[index] = line[1]!
  }
  const lines = (): readonly Line[] => (existsSync(file) ? linesOf(readFileSync(file, 'utf8')) : [])
  const until = <T>(find: () => T | undefined): Promise<T> =>
    vi.waitUntil(() => find(), { timeout: timeoutMs, interval: 20 }) as Promise<T>
  const killed: string[] = []
  try {
    for (const index of [0, 1]) await begin(index)
    while (killed.length < kills) {
      const { pid, hour } = await until(() => unended(lines(), killed))
      const index = pids.indexOf(pid)
      await processes[index]!.kill()
      killed.push(hour)
      await begin(index)
      await until(() => lines().find((line) => line.event === 'end' && line.hour === hour))
    }
    // The next hour runs as usual.
    const count = ended(lines()).length
    await until(() => (ended(lines()).length > count ? true : undefined))
    const hours = ended(lines())
    const reports = await reportsIn(url, hours.length)
    return { killed, ended: hours, overlaps: overlaps(lines()), reports }
  } finally {
    for (const each of processes) await each.kill()
    rmSync(folder, { recursive: true })
  }
}

function linesOf(text: string): readonly Line[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [event, pid, hour] = line.split(' ')
      return { event: event!, pid: pid!, hour: hour! }
    })
}

const ended = (lines: readonly Line[]) =>
  lines.filter(({ event }) => event === 'end').map(({ hour }) => hour)

/** The run that has begun last and not ended, of an hour that was not killed before. */
function unended(lines: readonly Line[], killed: readonly string[]): Line | undefined {
  const last = lines.at(-1)
  return last?.event === 'begin' && !killed.includes(last.hour) ? last : undefined
}

/** Begins that stand between begin and end of another process. */
function overlaps(lines: readonly Line[]): readonly string[] {
  return lines.flatMap(({ event, pid, hour }, index) => {
    const next = lines.slice(index + 1).find((line) => line.pid === pid)
    const nextAny = lines[index + 1]
    const isOverlapped = event === 'begin' && next !== undefined && nextAny !== next
    return isOverlapped ? [hour] : []
  })
}

/** The hours of reports, once there are so many. */
async function reportsIn(url: string, count: number): Promise<readonly string[]> {
  const store: Store = url.startsWith('sqlite:') ? sqlite(url.slice(7)) : postgres(url)
  const router = createRouter({ policy: rest(), store })
  router.prepare(Report)
  try {
    await vi.waitUntil(async () => (await router.query(Report).size()) >= count, timeoutMs)
    const hours: string[] = []
    for await (const { hour } of router.items(Report).find()) hours.push(hour)
    return hours.toSorted()
  } finally {
    await router.close()
  }
}
