import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createRouter, model, type Store } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'
import { type ServiceProcess, startService } from '../service-process.ts'

export interface ConsumerKills {
  /** Of the store: `sqlite:<file>`, or one of PostgreSQL. */
  readonly url: string
  readonly bookings: number
  readonly kills: number
}

/** What two processes did that were killed at random times. */
export interface KillOutcome {
  /** Mails of changes that the log has and nobody got, and of changes that it does not have. */
  readonly mails: { readonly missing: number; readonly unknown: number }
  readonly repeatedMails: number
  readonly invoices: { readonly missing: number; readonly repeated: number }
  /** Bookings whose payment was given before their creation. */
  readonly outOfOrder: readonly string[]
  readonly seconds: number
  /** The longest time without a mail, in milliseconds. */
  readonly longestGapMs: number
}

const service = fileURLToPath(new URL('bookings-service.mjs', import.meta.url))

class Booking extends model('booking', { seat: z.int(), isPaid: z.boolean() }) {}
class Invoice extends model('invoice', { booking: z.string(), kind: z.string() }) {}

/** Runs two processes of the service, kills one of them again and again, and counts. */
export async function killConsumers({ url, bookings, kills }: ConsumerKills): Promise<KillOutcome> {
  const started = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'mails-'))
  const mailFile = join(folder, 'mails.txt')
  const start = () => startService(service, [url, mailFile, String(bookings)])
  const processes: ServiceProcess[] = [start(), start()]
  try {
    // One after the other, because both create the tables.
    for (const each of processes) await each.said('open')
    for (let kill = 0; kill < kills; kill++) {
      await wait(500 + Math.random() * 2_000)
      const index = Math.floor(Math.random() * processes.length)
      await processes[index]!.kill()
      processes[index] = start()
    }
    await Promise.all(processes.map((each) => each.said('booked')))
    return await count(url, mailFile, started)
  } finally {
    for (const each of processes) await each.kill()
    rmSync(folder, { recursive: true })
  }
}

/** Waits until both consumers have done all changes, and compares with the log. */
async function count(url: string, mailFile: string, started: number): Promise<KillOutcome> {
  const store: Store = url.startsWith('sqlite:') ? sqlite(url.slice(7)) : postgres(url)
  const router = createRouter({ policy: rest(), store, changes: true })
  router.prepare(Booking)
  router.prepare(Invoice)
  // Registered to ask for them: a router that is not opened by `open()` runs none.
  for (const name of ['mailer', 'invoices'])
    router.consume(name, { models: [Booking] }, () => undefined)
  try {
    for (;;) {
      const reports = await router.consumers()
      if (reports.every(({ pendingCount }) => pendingCount === 0)) break
      await wait(200)
    }
    const seconds = Math.round((performance.now() - started) / 1_000)
    const logged = await changesIn(store)
    const lines = readFileSync(mailFile, 'utf8').trimEnd().split('\n')
    const mails = lines.map((line) => line.split(' ').slice(0, 2).join(' '))
    const mailSet = new Set(mails)
    const invoices: string[] = []
    for await (const { kind, booking } of router.items(Invoice).find())
      invoices.push(`${kind} ${booking}`)
    const invoiceSet = new Set(invoices)
    const times = lines.map((line) => Number(line.split(' ')[2]))
    return {
      mails: {
        missing: [...logged].filter((change) => !mailSet.has(change)).length,
        unknown: [...mailSet].filter((change) => !logged.has(change)).length,
      },
      repeatedMails: mails.length - mailSet.size,
      invoices: {
        missing: [...logged].filter((change) => !invoiceSet.has(change)).length,
        repeated: invoices.length - invoiceSet.size,
      },
      outOfOrder: [...logged].filter((change) => isOutOfOrder(change, mails)),
      seconds,
      longestGapMs: Math.max(...times.slice(1).map((time, index) => time - times[index]!)),
    }
  } finally {
    await router.close()
  }
}

function isOutOfOrder(change: string, mails: readonly string[]): boolean {
  const [kind, id] = change.split(' ')
  return kind === 'update' && mails.indexOf(`create ${id}`) > mails.indexOf(change)
}

/** Each change of a booking once, as `create b-1`. Payments that change nothing are none. */
async function changesIn(store: Store): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  let after: string | undefined
  for (;;) {
    const read = await store.changes!.read(after, 1_000)
    if (read.kind !== 'changes') throw new Error(read.kind)
    for (const entry of read.entries) {
      if (entry.kind === 'erased' || entry.model !== 'booking') continue
      const change = `${entry.kind} ${entry.id}`
      if (found.has(change)) throw new Error(`The log has '${change}' twice.`)
      found.add(change)
    }
    after = read.next
    if (read.isEnd) return found
  }
}
