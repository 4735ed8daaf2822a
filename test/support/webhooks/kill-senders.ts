import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newSecret } from 'resourcery/webhooks'
import { type ServiceProcess, startService } from '../service-process.ts'
import { subscribedService } from './subscribed-service.mjs'

export interface SenderKills {
  /** Of the store: `sqlite:<file>`, or one of PostgreSQL. */
  readonly url: string
  readonly bookings: number
  readonly kills: number
}

/** What a receiver got of two processes that were killed at random times. */
export interface SenderOutcome {
  /** Events of the log that it did not get, and others. */
  readonly events: { readonly missing: number; readonly unknown: number }
  /** Deliveries beyond one for each event. */
  readonly repeatedDeliveries: number
  readonly repeatedEvents: number
  readonly refusedAttempts: number
  readonly seconds: number
}

const service = fileURLToPath(new URL('subscribed-service.mjs', import.meta.url))

/** Runs two processes of the service, kills one of them again and again, and counts. */
export async function killSenders({ url, bookings, kills }: SenderKills): Promise<SenderOutcome> {
  const started = performance.now()
  const receiver = await failingReceiver()
  const { router, store, models } = subscribedService(url)
  const start = () => startService(service, [url, String(bookings)])
  const processes: ServiceProcess[] = []
  try {
    // Such a router sends nothing: only `open()` would run what does.
    await router.items(models.Webhook).create({
      url: receiver.url,
      secret: newSecret(),
      owner: 'emil',
    })
    processes.push(start(), start())
    for (const each of processes) await each.said('open')
    for (let kill = 0; kill < kills; kill++) {
      await wait(500 + Math.random() * 2_000)
      const index = Math.floor(Math.random() * processes.length)
      await processes[index]!.kill()
      processes[index] = start()
    }
    await Promise.all(processes.map((each) => each.said('booked')))
    const expected = await eventsIn(store)
    for (;;) {
      await wait(500)
      const deliveries = router.items(models.WebhookDelivery)
      const pending = await deliveries.count((all) => all.where('status').notEqual('delivered'))
      if (pending === 0 && (await deliveries.count()) >= expected.size) break
    }
    const made = await router.items(models.WebhookDelivery).count()
    const received = new Set(receiver.accepted)
    return {
      events: {
        missing: [...expected].filter((event) => !received.has(event)).length,
        unknown: [...received].filter((event) => !expected.has(event)).length,
      },
      repeatedDeliveries: made - expected.size,
      repeatedEvents: receiver.accepted.length - received.size,
      refusedAttempts: receiver.refusedCount(),
      seconds: Math.round((performance.now() - started) / 1_000),
    }
  } finally {
    for (const each of processes) await each.kill()
    await router.close()
    receiver.close()
  }
}

/** Refuses each tenth event when it comes for the first time. */
async function failingReceiver() {
  const seen = new Set<string>()
  const accepted: string[] = []
  let refused = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const id = String(request.headers['webhook-id'])
    const isRefused = !seen.has(id) && seen.size % 10 === 0
    seen.add(id)
    if (isRefused) refused++
    else {
      const { type, data } = JSON.parse(body)
      accepted.push(`${type} ${data.id}`)
    }
    response.writeHead(isRefused ? 500 : 204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://localhost:${port}/`,
    accepted,
    refusedCount: () => refused,
    close: () => server.close(),
  }
}

/** Each change of a booking once, as `booking.created b-1`. */
async function eventsIn(
  store: ReturnType<typeof subscribedService>['store'],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (let after: string | undefined, isEnd = false; !isEnd; ) {
    const read = await store.changes!.read(after, 1_000, 'committed')
    if (read.kind !== 'changes') throw new Error(read.kind)
    for (const entry of read.entries)
      if (entry.kind !== 'erased' && entry.model === 'booking')
        found.add(`booking.${entry.kind}d ${entry.id}`)
    after = read.next
    isEnd = read.isEnd
  }
  return found
}
