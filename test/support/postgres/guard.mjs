// Stops the servers of a run that was killed, so that its own teardown did not happen.
import { setTimeout as wait } from 'node:timers/promises'
import { isRunning, stopServers } from './stop-servers.mjs'

const [, , runId = '', folder = ''] = process.argv
while (isRunning(Number(runId))) await wait(500)
await stopServers(folder)
