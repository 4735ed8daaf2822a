import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('the guard stops the servers of a run that was killed, and deletes their files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guarded-'))
  const [run, server] = [1, 2].map(() => spawn('sleep', ['60']))
  mkdirSync(join(folder, 'server/data'), { recursive: true })
  writeFileSync(join(folder, 'server/data/postmaster.pid'), `${server!.pid}\n/data\n`)
  const script = fileURLToPath(new URL('guard.mjs', import.meta.url))
  const guard = spawn(process.execPath, [script, String(run!.pid), folder])
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect([server!.signalCode, existsSync(folder)]).toEqual([null, true])
  run!.kill('SIGKILL')
  await once(guard, 'exit')
  expect([server!.signalCode, existsSync(folder)]).toEqual(['SIGQUIT', false])
})
