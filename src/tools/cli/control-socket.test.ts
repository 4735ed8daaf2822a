import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { controlSocketOf, listenToRestarts, requestRestart } from './control-socket.ts'

const folder = mkdtempSync(join(tmpdir(), 'control-'))
const module = join(folder, 'main.mjs')
writeFileSync(module, '')

afterEach(() => void vi.unstubAllEnvs())
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function listening(restart: () => Promise<void>): Promise<string> {
  vi.stubEnv('XDG_RUNTIME_DIR', folder)
  const path = controlSocketOf(module)
  const server = await listenToRestarts(path, restart)
  onTestFinished(() => void server.close())
  return path
}

it('stays within what systems take as a path, and away from the working directory', () => {
  const long = join(folder, 'x'.repeat(120))
  mkdirSync(long, { recursive: true })
  vi.stubEnv('XDG_RUNTIME_DIR', long)
  const path = controlSocketOf(module)
  expect(path.length).toBeLessThanOrEqual(103)
  expect(path).toMatch(/^\/tmp\/resourcery-\d+\//)
  vi.stubEnv('XDG_RUNTIME_DIR', '')
  expect(dirname(controlSocketOf(module)).startsWith(tmpdir())).toBe(true)
})

it('runs restarts, and says how they ended', async () => {
  let outcome: Error | undefined
  const path = await listening(async () => {
    if (outcome) throw outcome
  })
  await requestRestart(path)
  outcome = new Error('The module is broken.')
  await expect(requestRestart(path)).rejects.toThrow('The module is broken.')
})

it('refuses every other command', async () => {
  const restart = vi.fn(async () => undefined)
  const socket = connect({ path: await listening(restart), allowHalfOpen: true })
  socket.end('stop')
  expect(await text(socket)).toBe("Expected the command 'restart'.")
  expect(restart).not.toHaveBeenCalled()
})
