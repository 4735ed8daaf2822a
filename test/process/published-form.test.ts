import { execFile, execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root, temporaryFolder } from '../support/documentation.ts'

const folder = temporaryFolder('published-form')
const installed = join(folder, 'node_modules/resourcery')

beforeAll(() => {
  mkdirSync(installed, { recursive: true })
  // Otherwise 'resourcery' is the package that the folder is in.
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  cpSync(join(root, 'package.json'), join(installed, 'package.json'))
  execFileSync(process.execPath, ['scripts/bundle.mjs', join(installed, 'dist')], { cwd: root })
  for (const name of ['uuid', 'inflection', 'zod', 'sharp', '@photostructure', '@standard-schema'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** What a program prints that has the package as it is published. */
async function run(text: string): Promise<{ stdout: string; stderr: string }> {
  const file = join(folder, 'program.mjs')
  writeFileSync(file, text)
  return promisify(execFile)(process.execPath, [file], { cwd: folder })
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, unknown>>
}
/** Those that need a test runner or a package of their own. */
const others = ['./package.json', './contracts', './check', './testing', './limits']
const entries = Object.keys(manifest.exports).filter((entry) => !others.includes(entry))

describe('the package in its published form', () => {
  it('exports what the build does', async () => {
    const { stdout } = await run(`
      for (const entry of ${JSON.stringify(entries)})
        console.log(entry, ...Object.keys(await import('resourcery' + entry.slice(1))).sort())
    `)
    const built = await Promise.all(
      entries.map(async (entry) =>
        [entry, ...Object.keys(await import(`resourcery${entry.slice(1)}`)).sort()].join(' '),
      ),
    )
    expect(stdout.trim().split('\n')).toEqual(built)
  })

  it('finds its workers, the script of the documentation page, and what detects media types', async () => {
    const image = await sharp({
      create: { width: 64, height: 64, channels: 3, background: 'red' },
    })
      .png()
      .toBuffer()
    const { stdout, stderr } = await run(`
      import { createRouter, image, model } from 'resourcery'
      import { rest } from 'resourcery/rest'
      import { sqlite, sqliteBlobs } from 'resourcery/sqlite'
      import { z } from 'zod'

      const Book = model('book', {
        title: z.string(), text: z.string(), cover: image({ variants: { formats: ['webp'], sizes: [16] } }),
      }, { ids: 'client' })
      const store = sqlite('books.db', { durability: 'normal', largeTableRows: 10 })
      const router = createRouter({ policy: rest(), docsPage: true, store, blobs: sqliteBlobs('blobs.db') })
      router.prepare(Book)
      await router.load(Book, Array.from({ length: 2_000 }, (_, n) => ({ id: 'b' + n, title: 'T' + n, text: 'x' })))
      const ask = (path, init) => router.handle(new Request('http://localhost' + path, init))
      const upload = (body) => ask('/books/b1/cover', { method: 'POST', headers: { 'content-type': 'image/png' }, body })
      const png = Buffer.from('${image.toString('base64')}', 'base64')
      const found = await (await ask('/books?filter[title][contains]=T1999&sort=-text')).json()
      const script = await ask('/docs/reference.js')
      const output = {
        found: found.books.length,
        uploaded: (await upload(png)).status,
        wrong: (await upload(Buffer.from('%PDF-1.7 and no image'))).status,
        variant: (await ask('/books/b1/cover/webp/16')).headers.get('content-type'),
        script: [script.status, (await script.text()).includes('Scalar')],
      }
      console.log(JSON.stringify(output))
      await router.close()
    `)
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({
      found: 1,
      uploaded: 200,
      wrong: 415,
      variant: 'image/webp',
      script: [200, true],
    })
  })

  it('has the command', () => {
    const command = join(installed, 'dist/tools/cli/resourcery.js')
    const help = execFileSync(process.execPath, [command, '--help'], { encoding: 'utf8' })
    expect(help).toContain('resourcery start')
    expect(readFileSync(command, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
  })

  it('has each file that its code names beside itself', () => {
    const files = readdirSync(join(installed, 'dist'))
    const codes = files
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(installed, 'dist', name), 'utf8'))
      // Long lines are broken in texts too.
      .map((code) => code.replaceAll('\\\n', ''))
    const named = codes.flatMap((code) =>
      Array.from(
        code.matchAll(/"(?:\.\/)?([\w.-]+)",\s*import\.\s*meta\.\s*url/g),
        ([, name]) => name!,
      ),
    )
    expect(named.sort()).toEqual(
      expect.arrayContaining(['checkpoint-worker.js', 'dev-runner.js', 'scan-worker.js']),
    )
    expect(named.filter((name) => !files.includes(name))).toEqual([])
  })

  it('names the licenses of the code that it contains', () => {
    const licenses = readFileSync(join(installed, 'dist/licenses.txt'), 'utf8')
    expect(licenses).toMatch(/^file-type 21\.\d+\.\d+ \(MIT\)$/m)
    expect(licenses).toContain('Sindre Sorhus')
  })
})
