// What is no TypeScript and runs all the same: workers, which also run unbuilt, and the script of
// the documentation page, which a package holds as it was built by its makers.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
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
const target = 'dist/feature/browser-pages/scalar.js.br'
// Compressing takes seconds, and most builds have it already.
if (!existsSync(target) || !brotliDecompressSync(readFileSync(target)).equals(script))
  writeFileSync(target, brotliCompressSync(script))
