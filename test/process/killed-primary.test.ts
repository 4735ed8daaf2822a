import { setTimeout as wait } from 'node:timers/promises'
import { createRouter, model } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { describeReplica } from '../support/postgres/describe-postgres.ts'
import { PostgresReplica } from '../support/postgres/postgres-replica.ts'
import { PostgresServer } from '../support/postgres/postgres-server.ts'

const Note = model('note', { text: z.string(), count: z.int() })

const rounds = Number(process.env['FAILOVERS'] ?? 2)
const writers = 16

describeReplica('A service whose primary is killed', () => {
  it(
    'loses nothing that it acknowledged, and does nothing twice',
    async () => {
      const servers: PostgresServer[] = [await PostgresServer.start()]
      let primary = servers[0]!
      // What is not on a standby is not acknowledged; standbys copy the setting.
      await primary.run("alter system set synchronous_standby_names = '*'")
      await primary.run('select pg_reload_conf()')
      let standby = await PostgresReplica.startFrom(primary)
      servers.push(standby)
      const hosts = () => servers.map(({ folder }) => folder)
      const firstMs: number[] = []
      const codes = new Set<string>()
      for (let round = 0; round < rounds; round++) {
        const store = postgres('postgres://postgres@localhost/postgres', {
          hosts: hosts(),
          statementTimeoutMs: 2_000,
        })
        const router = createRouter({ policy: rest(), store, idempotency: true, onError: () => {} })
        router.prepare(Note)
        await router.open()
        const api = client(router)
        const acknowledged = new Set<string>()
        let isOver = false
        let promotedAt = Number.POSITIVE_INFINITY
        let firstAt = Number.POSITIVE_INFINITY
        const writer = async (number: number) => {
          for (let index = 0; !isOver; index++) {
            const id = `r${round}-${number}-${index}`
            const note = { id, text: 'x', count: index }
            // A client repeats a request until it is not refused for a while.
            for (;;) {
              const { status, errors } = await api.post(
                '/notes',
                { note },
                { 'idempotency-key': id },
              )
              if (status === 503) {
                codes.add(errors[0]!.code)
                await wait(50)
                continue
              }
              expect([id, status]).toEqual([id, 201])
              acknowledged.add(id)
              if (performance.now() > promotedAt) firstAt = Math.min(firstAt, performance.now())
              break
            }
            const changed = await api.patch(`/notes/${id}`, { note: { text: 'y' } })
            if (changed.status !== 200) expect(changed.status).toBe(503)
          }
        }
        const done = Promise.all(Array.from({ length: writers }, (_, number) => writer(number)))
        await wait(500)
        await primary.kill()
        await wait(300)
        promotedAt = performance.now()
        await standby.run('select pg_promote()')
        const next = await PostgresReplica.startFrom(standby)
        await wait(500)
        isOver = true
        await done
        firstMs.push(firstAt - promotedAt)
        primary = standby
        standby = next
        servers.splice(0, servers.length, primary, standby)
        const rows = await primary.run('select id from notes where id like $1', [`r${round}-%`])
        const stored = new Set(rows.map(({ id }) => id))
        const lost = [...acknowledged].filter((id) => !stored.has(id))
        expect(acknowledged.size).toBeGreaterThan(writers)
        expect(lost).toEqual([])
        expect(stored.size).toBe(acknowledged.size)
        await router.close()
        await store.close()
      }
      const texts = firstMs.map(Math.round).join(', ')
      console.log(`First success ${texts} ms after a promotion, with the wait for a new standby.`)
      for (const code of codes) expect(['outcome-unknown', 'store-unavailable']).toContain(code)
      for (const server of [standby, primary]) await server.stop()
    },
    60_000 * rounds,
  )
})
