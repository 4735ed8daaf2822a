// What is no TypeScript and runs all the same: workers, which also run unbuilt, and the script of
// the documentation page, which a package holds as it was built by its makers.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('-worker.js')) cpSync(join('src', file), join('dist', file))
}

const scalar = dirname(
  dirname(createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')),
)
const license = readFileSync(join(scalar, 'LICENSE'), 'utf8').trim()
const code = readFileSync(join(scalar, 'dist/js/standalone.js'), 'utf8')
const script = Buffer.from(`/*!\n${license}\n*/\n${code}`)
// Compressing takes seconds.
const compressed = 'node_modules/.cache/resourcery/scalar.js.br'
if (!existsSync(compressed) || !brotliDecompressSync(readFileSync(compressed)).equals(script)) {
  mkdirSync(dirname(compressed), { recursive: true })
  writeFileSync(compressed, brotliCompressSync(script))
}
cpSync(compressed, 'dist/feature/browser-pages/scalar.js.br')
