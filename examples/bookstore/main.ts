import { fileURLToPath } from 'node:url'
import { closeOnSignals, serve } from 'resourcery/node'
import { bookstore } from './bookstore.ts'
import { logged } from './logged.ts'
import { rootPage } from './root-page.ts'
import { seed } from './seed.ts'
import { settings } from './settings.ts'

const { host, port, baseUrl, store, seed: wanted, log } = settings(process.env)

const router = bookstore({ store, baseUrl: () => baseUrl ?? server.address })
await router.open()
if (wanted) await seed(router, fileURLToPath(new URL('../data', import.meta.url)))

const server = await serve(log ? logged(router, console.log) : router, { host, port, pages: rootPage })
closeOnSignals(server)
console.log(`The bookstore is open at ${server.address}`)
