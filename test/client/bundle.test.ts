import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

async function bundle(code: string, conditions: string[] = ['resourcery-source']) {
  const { metafile, outputFiles } = await build({
    stdin: { contents: code, resolveDir: `${root}/test/client`, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
    outfile: 'client.js',
    conditions,
  })
  return { inputs: Object.keys(metafile.inputs), text: outputFiles[0]!.contents }
}

test('A page gets the client alone, in at most 6 kB', async () => {
  const { inputs, text } = await bundle("export * from 'resourcery/client'")
  expect(inputs.filter((path) => !/^(<stdin>$|src\/client\/)/.test(path))).toEqual([])
  const { length } = gzipSync(text, { level: 9 })
  console.log(`The client has ${length} bytes compressed.`)
  expect(length).toBeLessThanOrEqual(6_000)
})

test('A generated file adds its manifest alone', async () => {
  const { inputs, text } = await bundle("export { manifest } from './generated/bookstore.ts'")
  expect(inputs).toEqual(['test/client/generated/bookstore.ts', '<stdin>'])
  expect(text.length).toBeLessThan(2_000)
})
