// Puts the code of the build into few files, as it is published: a thousand small ones take several
// times as long to import.
//   node scripts/bundle.mjs [folder]
// Without a folder, what it makes takes the place of dist/.

import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { licensesOf } from './bundle/licenses.mjs'
import { reachableDeclarations } from './bundle/reachable-declarations.mjs'

/**
 * @typedef {object} Manifest
 * @property {Record<string, string>} bin
 * @property {Record<string, string | { types: string, default: string }>} exports
 * @property {Record<string, string>} dependencies
 * @property {Record<string, string>} peerDependencies
 */

const source = 'dist'
const target = process.argv[2] ?? 'node_modules/.cache/bundled'
/** @type {Manifest} */
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const entries = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [entry],
)
const commands = Object.values(manifest.bin)
/** What code starts or registers by its name, in the folder of its own. */
const programs = ['./dist/tools/cli/dev-runner.js', './dist/tools/dev/import-hooks.js']

rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
const { outputFiles, metafile } = await build({
  entryPoints: Object.fromEntries([
    ...[...entries.map((entry) => entry.default), ...commands].map((path) => [nameOf(path), path]),
    ...programs.map((path) => [basename(path, '.js'), path]),
  ]),
  outdir: target,
  write: false,
  metafile: true,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)],
  plugins: [withoutDebug()],
  minifySyntax: true,
  minifyWhitespace: true,
  // Errors still name a line.
  lineLimit: 120,
  legalComments: 'none',
  logLevel: 'warning',
})
// All code is at the top, where it finds the files that it reads beside it.
for (const { path, contents } of outputFiles) writeFileSync(join(target, basename(path)), contents)
for (const path of entries.map((entry) => entry.default)) leadTo(path, `export * from`)
for (const path of commands) leadTo(path, '#!/usr/bin/env node\nimport')
for (const path of readdirSync(source, { recursive: true, encoding: 'utf8' }))
  if (/-worker\.js$|\.br$/.test(path)) cpSync(join(source, path), join(target, basename(path)))
for (const path of reachableDeclarations(entries.map(({ types }) => types)))
  copy(path, join(target, relative(source, path)))
writeFileSync(join(target, 'licenses.txt'), licensesOf(Object.keys(metafile.inputs)))
if (process.argv[2] === undefined) {
  rmSync(source, { recursive: true })
  renameSync(target, source)
}

/**
 * Leaves out the package `debug`, whose output nobody reads of what the bundle contains.
 *
 * @returns {import('esbuild').Plugin}
 */
function withoutDebug() {
  return {
    name: 'without debug',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^debug$/ }, ({ path }) => ({ path, namespace: 'left out' }))
      onLoad({ filter: /./, namespace: 'left out' }, () => ({
        contents: 'module.exports = () => () => {}',
      }))
    },
  }
}

/** @param {string} path of an entry in the build, such as `./dist/store/sqlite/sqlite.js` */
function nameOf(path) {
  return relative(source, path).replace(/\.js$/, '').replaceAll('/', '-')
}

/**
 * A file at the path that the manifest names, which leads to the code.
 *
 * @param {string} path
 * @param {string} statement
 */
function leadTo(path, statement) {
  const file = join(target, relative(source, path))
  const code = join(target, `${nameOf(path)}.js`)
  if (file === code) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${statement} '${relative(dirname(file), code)}'\n`)
}

/**
 * @param {string} from
 * @param {string} to
 */
function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true })
  cpSync(from, to)
}
