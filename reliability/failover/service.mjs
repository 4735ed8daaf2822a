// The service that is written to, as a process of its own. Run by reliability/failover.mjs.

import { createRouter, field, model, rollup, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { serve } from 'resourcery/node'
import { postgres } from 'resourcery/postgres'
import { z } from 'zod'
import { databaseUrl, HOST, PORT, serving } from '../../bench/harness/child.mjs'

const Account = model(
  'account',
  {
    name: field(z.string(), { column: 'name' }),
    entries: toMany('entry', { inverse: 'account' }),
    entryCount: rollup('entries', { count: true, column: 'entry_count' }),
    total: rollup('entries', { sum: 'number', column: 'total' }),
  },
  { ids: 'client', table: 'accounts' },
)
const Entry = model(
  'entry',
  { number: z.int(), account: toOne('account', { column: 'account_id' }) },
  { table: 'entries' },
)
/** Two of them are made in one batch. */
const Side = model('side', { number: z.int(), name: z.string() }, { table: 'sides' })

const store = postgres(databaseUrl())
const router = createRouter({
  policy: jsonApi(),
  store,
  idempotency: true,
  // Failovers make as many as there are requests, and each is answered with 503.
  onError: () => {},
})
for (const each of [Account, Entry, Side]) router.prepare(each)
const server = await serve(router, { host: HOST, port: PORT })
serving(server.port, async () => {
  await server.close()
  await store.close()
})
