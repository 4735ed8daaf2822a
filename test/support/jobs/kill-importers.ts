import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { client } from '../client.ts'
import { type ServiceProcess, startService } from '../service-process.ts'
import { Counter, importingService, Ticket } from './importing-service.mjs'

export interface ImporterKills {
  /** Of the store: `sqlite:<file>`, or one of PostgreSQL. */
  readonly url: string
  readonly lines: number
  readonly actions: number
  readonly kills: number
}

/** What two processes did that were killed at random times. */
export interface ImporterOutcome {
  /** Lines whose item is not there, and items beyond one for each line. */
  readonly lines: { readonly missing: number; readonly twice: number; readonly failed: number }
  /** What all jobs say. */
  readonly result: unknown
  /** How often the actions have counted. */
  readonly counted: number
  readonly kept: number
}

const service = fileURLToPath(new URL('importing-service.mjs', import.meta.url))
const emil = { authorization: 'Bearer emil' }

/** Runs two processes of the service, kills one of them again and again, and counts. */
export async function killImporters({
  url,
  lines,
  actions,
  kills,
}: ImporterKills): Promise<ImporterOutcome> {
  const router = importingService(url, 0)
  const api = client(router)
  const start = () => startService(service, [url, '1'])
  const processes: ServiceProcess[] = []
  try {
    await router.open()
    await router.items(Counter).create({ id: 'c', value: 0 })
    const later = { ...emil, prefer: 'respond-async' }
    // A line in ten is wrong.
    const seats = Array.from({ length: lines }, (_, seat) => (seat % 10 === 9 ? -1 : seat))
    const body = `seat\n${seats.join('\n')}\n`
    const sent = await api.post('/tickets', body, { ...later, 'content-type': 'text/csv' })
    for (let action = 0; action < actions; action++)
      await api.post('/counters/c/increment', undefined, later)
    processes.push(start(), start())
    for (const each of processes) await each.said('open')
    for (let kill = 0; kill < kills; kill++) {
      await wait(500 + Math.random() * 1_500)
      const index = Math.floor(Math.random() * processes.length)
      await processes[index]!.kill()
      processes[index] = start()
    }
    const pending = async () => {
      const jobs = (await api.get('/jobs?sort=createdAt', emil)).at('/jobs')
      return (jobs as { state: string }[]).filter(({ state }) => state !== 'done').length
    }
    while ((await pending()) > 0) await wait(500)
    const counts = new Map<number, number>()
    for (const { seat } of await router.items(Ticket).all())
      counts.set(seat, (counts.get(seat) ?? 0) + 1)
    const wanted = seats.filter((seat) => seat >= 0)
    const job = await api.get(String(sent.headers.get('location')), emil)
    return {
      lines: {
        missing: wanted.filter((seat) => !counts.has(seat)).length,
        twice: [...counts.values()].filter((count) => count > 1).length,
        failed: lines - wanted.length,
      },
      result: job.at('/job/result'),
      counted: (await router.items(Counter).get('c'))!.value,
      kept: (await api.get('/jobs', emil)).ids('jobs').length,
    }
  } finally {
    for (const each of processes) await each.kill()
    await router.close()
  }
}
