import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/support/documentation.ts'
import { listenToRestarts, requestRestart } from './control-socket.ts'

const folder = temporaryFolder('control')
afterAll(() => rmSync(folder, { recursive: true }))
let count = 0
const newPath = () => join(folder, `${++count}.sock`)

async function listening(restart: () => Promise<void>): Promise<string> {
  const path = newPath()
  const server = await listenToRestarts(path, restart)
  onTestFinished(() => void server.close())
  return path
}

it('restarts once for each request, and says why one has failed', async () => {
  let restarts = 0
  const path = await listening(async () => {
    if (++restarts === 2) throw new Error('A worker does not start.')
  })
  await requestRestart(path)
  await expect(requestRestart(path)).rejects.toThrow('A worker does not start.')
  expect(restarts).toBe(2)
})

it('tells a primary that does not run from one that cannot be reached, or ends meanwhile', async () => {
  await expect(requestRestart(newPath())).rejects.toThrow('No primary of this module runs here')
  const file = join(folder, 'file')
  writeFileSync(file, '')
  await expect(requestRestart(join(file, 'x.sock'))).rejects.toThrow(
    'The primary of this module cannot be reached by the socket',
  )
  const path = newPath()
  const ending = createServer((socket) => socket.end()).listen(path)
  onTestFinished(() => void ending.close())
  await once(ending, 'listening')
  await expect(requestRestart(path)).rejects.toThrow(
    'The primary has ended before its processes were replaced.',
  )
})
