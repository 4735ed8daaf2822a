import { randomBytes } from 'node:crypto'
import { closeOnSignals, serve } from 'resourcery/node'
import { createService } from './service.ts'

const port = 3000
const secret = process.env.SESSION_SECRET ?? randomBytes(32).toString('hex')
const { router, sessions } = createService(`http://127.0.0.1:${port}`, secret)
closeOnSignals(await serve([router, sessions], { port }))
console.log(`http://127.0.0.1:${port}/api`)
