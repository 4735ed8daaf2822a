import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { childrenOf, computedBy } from '../support/child-processes.ts'

const root = join(import.meta.dirname, '../..')
const built = (path: string) => JSON.stringify(pathToFileURL(join(root, 'dist', path)).href)

/** A service that makes an image variant for many seconds, and prints a line once it does. */
const script = `
  import sharp from 'sharp'
  import { createRouter, image, model } from ${built('index.js')}
  import { memory, memoryBlobs } from ${built('store/memory/memory.js')}
  import { closeOnSignals, serve } from ${built('adapter/node.js')}
  import { rest } from ${built('policy/rest/rest.js')}
  const Book = model('book', { cover: image({ variants: { formats: ['avif'], sizes: [2048] } }) })
  const router = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs() })
  router.prepare(Book)
  await router.load(Book, [{ id: 'b-1' }])
  const noise = { type: 'gaussian', mean: 128, sigma: 60 }
  const body = await sharp({ create: { width: 2048, height: 2048, channels: 3, background: '#284', noise } }).jpeg().toBuffer()
  const server = await serve(router, { port: 0, shutdownTimeoutMs: 300 })
  closeOnSignals({ close: async () => { await server.close(); await router.close() } })
  const at = 'http://127.0.0.1:' + server.port + '/books/b-1/cover'
  const { status } = await fetch(at, { method: 'POST', headers: { 'content-type': 'image/jpeg' }, body })
  fetch(at + '/avif/2048').catch(() => {})
  console.log(status)
`

test.each([
  {
    name: 'SIGTERM, to it alone',
    end: (pid: number) => process.kill(pid, 'SIGTERM'),
    outcome: [0, null],
  },
  {
    name: 'SIGTERM, to its group',
    end: (pid: number) => process.kill(-pid, 'SIGTERM'),
    outcome: [0, null],
  },
  {
    name: 'SIGKILL',
    end: (pid: number) => process.kill(pid, 'SIGKILL'),
    outcome: [null, 'SIGKILL'],
  },
])(
  'a service that is ended by $name while an image is made leaves no process behind',
  async ({ end, outcome }) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let errors = ''
    child.stderr.on('data', (text) => {
      errors += text
    })
    const exit = once(child, 'exit')
    expect(String((await once(child.stdout, 'data'))[0])).toBe('200\n')
    const workers = childrenOf(child.pid!)
    expect(workers).toHaveLength(1)
    for (
      const start = performance.now();
      computedBy(workers[0]!.pid) < 0.5 && performance.now() - start < 20_000;
    )
      await new Promise((resolve) => setTimeout(resolve, 10))
    end(child.pid!)
    expect({ outcome: await exit, errors }).toEqual({ outcome, errors: '' })
    for (
      const start = performance.now();
      isRunning(workers[0]!.pid) && performance.now() - start < 1_000;
    )
      await new Promise((resolve) => setTimeout(resolve, 10))
    expect(isRunning(workers[0]!.pid)).toBe(false)
  },
  60_000,
)

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}/exe`)
}
