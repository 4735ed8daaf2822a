import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningBookstore, startBookstore } from '../support/bookstore-process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}))

describe('the requests of the README, in their order, against the built bookstore', () => {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'))
  let bookstore: RunningBookstore

  beforeAll(async () => {
    bookstore = await startBookstore({ DATABASE_URL: `sqlite:${join(folder, 'bookstore.db')}` })
  })
  afterAll(async () => {
    await bookstore.stop()
    rmSync(folder, { recursive: true })
  })

  const requests = blocks.flatMap(({ language, text }, index) => {
    const answer = blocks[index + 1]
    return language === 'sh' && text.startsWith('curl') && answer ? [{ command: text.trim(), answer }] : []
  })

  it('are there for each operation', () => {
    expect(requests.length).toBeGreaterThanOrEqual(8)
  })

  it.each(requests)('$command', async ({ command, answer }) => {
    const { stdout } = await promisify(execFile)('bash', [
      '-c',
      command.replaceAll('http://127.0.0.1:3000', bookstore.address),
    ])
    const printed = stdout.replaceAll('\r\n', '\n').replaceAll(bookstore.address, 'http://127.0.0.1:3000')
    if (answer.language === 'json') expect(JSON.parse(settled(printed))).toEqual(JSON.parse(settled(answer.text)))
    else expect(withoutHost(settled(printed))).toBe(withoutHost(settled(answer.text)))
  })
})

describe('the code of the README', () => {
  const folder = mkdtempSync(join(root, 'test/docs/readme-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('type-checks', () => {
    // What uses a generated client is checked where such clients are made.
    const code = blocks.filter(({ language, text }) => language === 'ts' && !text.includes('openapi-fetch'))
    expect(code.length).toBeGreaterThanOrEqual(2)
    for (const [index, { text }] of code.entries()) writeFileSync(join(folder, `block-${index}.ts`), text)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../../tsconfig.json', include: ['*.ts'] }),
    )
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    expect(() => execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', stdio: 'pipe' })).not.toThrow()
  })

  it('prints the routing table that it shows', async () => {
    const { createRouter, model, printRules } = await import('resourcery')
    const { memory } = await import('resourcery/memory')
    const { rest } = await import('resourcery/rest')
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(model('author', {}))
    router.prepare(model('book', {}))
    expect(blocks.find(({ text }) => text.startsWith('GET    /authors'))?.text.trim()).toBe(printRules(router.rules))
  })
})

/** Hashes and tags differ from run to run, sizes of images with what compresses them. */
function settled(text: string): string {
  return text
    .replaceAll(/"hash": ?"[^"]*"/g, '"hash":"…"')
    .replaceAll(/"size": ?\d+/g, '"size":0')
    .replaceAll(/^(etag: (?:W\/)?)"[^"]*"$/gm, '$1"…"')
}

/** The host adds headers of its own to each answer. */
function withoutHost(text: string): string {
  return text.replaceAll(/^(?:content-length|date|connection|keep-alive):.*\n/gim, '').trim()
}
