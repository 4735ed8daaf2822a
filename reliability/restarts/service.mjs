// A service whose model changes with each restart. Run by reliability/restarts.mjs.
//   node reliability/restarts/service.mjs <store> <file or url> <file with the version of the model>
//     [items to load instead of serving]

import { readFileSync } from 'node:fs'
import { createRouter, field, hash, model } from 'resourcery'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { HOST, serving } from '../../bench/harness/child.mjs'
import { STORES } from '../../bench/harness/stores.mjs'

const [store = '', location = '', versionFile = '', items] = process.argv.slice(2)
const open = STORES[store]
if (!open) throw new Error(`There is no store '${store}'.`)

/** How often a field was renamed, and how many required ones with a default were added. */
const versions = JSON.parse(readFileSync(versionFile, 'utf8'))
const former = versions.renamed === 0 ? {} : { was: `label${versions.renamed - 1}` }
const added = Array.from({ length: versions.added }, (_, index) => [
  `added${index + 1}`,
  z.string().default(`since ${index + 1}`),
])
const Product = model('product', {
  count: z.int().default(0),
  [`label${versions.renamed}`]: field(z.string().default('none'), former),
  ...Object.fromEntries(added),
  hash: hash(),
})
const router = createRouter({ policy: rest(), store: open(location), idempotency: true })
router.prepare(Product)

if (items === undefined) {
  const server = await serve(router, { host: HOST, port: 0, workers: 4 })
  if (server.role !== 'worker') serving(server.port, () => server.close())
} else {
  const all = Array.from({ length: Number(items) }, (_, index) => ({ id: `p${index}` }))
  await router.load(Product, /** @type {any} */ (all))
  await router.close()
  process.disconnect?.()
}
