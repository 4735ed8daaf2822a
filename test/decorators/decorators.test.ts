import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type AnyModel, createRouter } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { transformWithEsbuild } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client } from '../support/client.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const source = fileURLToPath(new URL('library.ts', import.meta.url))
const folder = mkdtempSync(join(root, 'test/decorators/compiled-'))
afterAll(() => rmSync(folder, { recursive: true }))

const conventions = [
  { convention: 'the standard convention (2023-11)', experimentalDecorators: false },
  { convention: "TypeScript's older convention", experimentalDecorators: true },
]
const compilers = [
  { compiler: 'tsc', compile: withTsc },
  { compiler: 'esbuild', compile: withEsbuild },
]

describe.each(compilers)('@Action and action(), compiled by $compiler', ({ compiler, compile }) => {
  describe.each(conventions)('under $convention', ({ experimentalDecorators }) => {
    let file: string
    let models: { readonly Book: AnyModel; readonly UsedBook: AnyModel }

    beforeAll(async () => {
      file = await compile(
        join(folder, `${compiler}-${experimentalDecorators ? 'older' : 'standard'}`),
        experimentalDecorators,
      )
      models = await import(file)
    })

    it('compiles', () => {
      const text = readFileSync(file, 'utf8')
      expect(text).not.toMatch(/^\s*@Action/m)
      expect(/__decorate(?:Class)?\(\[/.test(text)).toBe(experimentalDecorators)
    })

    it('makes an operation of each marked method, and of no other', () => {
      expect(actionsOf(models.Book)).toEqual([
        'discount',
        'raise',
        'giveAway',
        'halve',
        'lower',
        'round',
      ])
    })

    it('treats an overriding method as an action only where it is marked too', () => {
      expect(actionsOf(models.UsedBook)).toEqual(['halve', 'lower', 'discount', 'raise'])
    })

    it('calls the method on the item', async () => {
      const router = createRouter({ policy: rest(), store: memory() })
      router.prepare(models.Book)
      const api = client(router)
      await api.post('/books', { book: { id: 'b-1', price: 10 } })
      expect((await api.post('/books/b-1/discount', { percent: 10 })).body).toEqual({ price: 9 })
      expect((await api.post('/books/b-1/raise', { percent: 100 })).at('/book/price')).toBe(18)
      expect((await api.post('/books/b-1/halve')).at('/book/price')).toBe(9)
      expect((await api.post('/books/b-1/lower', { percent: 50 })).at('/book/price')).toBe(4.5)
      expect((await api.post('/books/b-1/round')).at('/book/price')).toBe(5)
      expect((await api.post('/books/b-1/giveAway')).at('/book/price')).toBe(0)
      expect((await api.post('/books/b-1/unmarked')).status).toBe(404)
    })
  })
})

function actionsOf(model: AnyModel): readonly string[] {
  const router = createRouter({ policy: rest(), store: memory() })
  router.prepare(model)
  const actions = router.rules.filter((rule) => rule.operation === 'ItemMethodApiOperation')
  return actions.map((rule) => rule.path.split('/').at(-1)!)
}

/** Type-checked under the same setting. */
function withTsc(to: string, experimentalDecorators: boolean): string {
  const compilerOptions = { noEmit: false, outDir: to, rootDir: root, experimentalDecorators }
  writeFileSync(
    `${to}.json`,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: [source] }),
  )
  execFileSync(process.execPath, [
    join(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    `${to}.json`,
  ])
  return join(to, 'test/decorators/library.js')
}

async function withEsbuild(to: string, experimentalDecorators: boolean): Promise<string> {
  const tsconfigRaw = { compilerOptions: { experimentalDecorators, target: 'es2022' } }
  const { code } = await transformWithEsbuild(readFileSync(source, 'utf8'), source, {
    tsconfigRaw,
    target: 'es2022',
  })
  writeFileSync(`${to}.js`, code)
  return `${to}.js`
}
