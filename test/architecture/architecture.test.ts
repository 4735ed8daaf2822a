import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { operations } from '../../src/rule/operations.ts'
import { floors, folderOf } from './floors.ts'
import { type Arrow, arrowsOf, importsOf, sourceFiles } from './imports.ts'

const root = fileURLToPath(new URL('../../src', import.meta.url))
const arrows = arrowsOf(root)

describe('The folders of src/', () => {
  it('has a floor for every folder', () => {
    const folders = new Set(sourceFiles(root).map(folderOf))
    expect([...folders].filter((folder) => floors[folder] === undefined)).toEqual([])
  })

  it('imports only from lower floors, types included', () => {
    expect(arrows.filter(breaksFloor).map(inWords)).toEqual([])
  })

  it('has no circle of imports', () => {
    expect(circles(arrows)).toEqual([])
  })

  it('has no index file inside a folder', () => {
    expect(sourceFiles(root).filter((file) => /\/index\.[jt]s$/.test(file))).toEqual([])
  })

  it('imports only files that are there', () => {
    expect(arrows.filter(({ to }) => !existsSync(`${root}/${to}`)).map(inWords)).toEqual([])
  })

  it('keeps stores apart from each other', () => {
    const engines = ['memory', 'sqlite', 'postgres', 'files', 's3']
    const engineOf = (file: string) => engines.find((engine) => file.startsWith(`store/${engine}/`))
    const crossing = arrows.filter(
      ({ from, to }) => engineOf(from) && engineOf(to) && engineOf(from) !== engineOf(to),
    )
    expect(crossing.map(inWords)).toEqual([])
  })

  it('keeps policies apart from each other, and unknown to all but the public surface', () => {
    const policyOf = (file: string) => /^policy\/([^/]+)\//.exec(file)?.[1]
    const crossing = arrows.filter(
      ({ from, to }) =>
        policyOf(to) !== undefined && policyOf(from) !== policyOf(to) && !(from in policyUsers),
    )
    expect(crossing.map(inWords)).toEqual([])
  })

  it('hands refuse(), which throws, to nobody as a value: that is createApiError()', () => {
    const handed = sourceFiles(root).filter((file) =>
      /(return|[?:(]|=>) refuse\(|(reject|callback|destroy|done)\(refuse\(/.test(
        readFileSync(`${root}/${file}`, 'utf8'),
      ),
    )
    expect(handed).toEqual([])
  })

  it('lets tools and contract suites import from their own folders and public entries only', () => {
    const users = arrows.filter(({ from }) => isBesideServer(from) && !from.endsWith('.testing.ts'))
    const crossing = users.filter(
      ({ from, to }) => !entryFiles.includes(to) && from.split('/')[0] !== to.split('/')[0],
    )
    expect(
      crossing
        .filter(({ to }) => !(to in sharedWithTools))
        .map(({ from, to }) => `${from} → ${to}`),
    ).toEqual([])
    const imported = new Set(crossing.map(({ to }) => to))
    expect(Object.keys(sharedWithTools).filter((file) => !imported.has(file))).toEqual([])
  })

  it('lets the server import nothing of tools and contract suites', () => {
    const crossing = arrows.filter(({ from, to }) => !isBesideServer(from) && isBesideServer(to))
    expect(crossing.map(({ from, to }) => `${from} → ${to}`)).toEqual([])
  })

  it('keeps the client apart: it runs in browsers, and nothing of the server gets there', () => {
    const crossing = arrows.filter(
      ({ from, to }) => from.startsWith('client/') !== to.startsWith('client/'),
    )
    expect(crossing.map(inWords)).toEqual([])
    const packages = sourceFiles(root)
      .filter((file) => file.startsWith('client/'))
      .flatMap((file) => [
        ...readFileSync(`${root}/${file}`, 'utf8').matchAll(/from '([^.'][^']*)'/g),
      ])
    expect(packages.map(([, name]) => name)).toEqual([])
  })

  it('leaves the texts of stored items to stored-item/', () => {
    const readers = sourceFiles(root).filter(
      (file) =>
        !/^(?:stored-item|testing|contracts)\//.test(file) &&
        /(?:slice|substring|at|startsWith|indexOf)\([^)\n]*relationsOffset|\{"id":|\bhashLength\b/.test(
          withoutComments(readFileSync(`${root}/${file}`, 'utf8')),
        ),
    )
    expect(readers).toEqual([])
  })

  it('gives every folder a paragraph in docs/architecture.md', () => {
    const text = readFileSync(
      fileURLToPath(new URL('../../docs/architecture.md', import.meta.url)),
      'utf8',
    )
    const folders = new Set(
      sourceFiles(root)
        .filter((file) => file.includes('/'))
        .map(folderOf),
    )
    expect([...folders].filter((folder) => !text.includes(`\`src/${folder}/\``))).toEqual([])
  })
})

it('docs/architecture.md lists each folder on its floor', () => {
  const text = readFileSync(
    fileURLToPath(new URL('../../docs/architecture.md', import.meta.url)),
    'utf8',
  )
  const listedFloors = text.split(/^\*\*Floor /m).flatMap((part) => {
    const floor = Number.parseInt(part, 10)
    return [...part.matchAll(/^- `src\/([\w/-]+)\/`/gm)].map(([, folder]) => [folder, floor])
  })
  const { 'types.ts': _types, 'index.ts': _index, ...folders } = floors
  expect(Object.fromEntries(listedFloors)).toEqual(folders)
})

describe('The list of places for new code in docs/architecture.md', () => {
  const page = readFileSync(
    fileURLToPath(new URL('../../docs/architecture.md', import.meta.url)),
    'utf8',
  )
  const rows = new Map(
    [
      ...page
        .slice(page.indexOf('## Where new code goes'))
        .matchAll(/^\| ([\w ]+?) +\| (.*?) +\|$/gm),
    ].map(([, subject, places]) => [subject!, places!]),
  )
  const pathsOf = (subject: string) =>
    [...(rows.get(subject) ?? '').matchAll(/`([\w/-]+(?:\.ts|\/))`/g)].map(([, path]) => path!)

  it('has a row for each kind of extension', () => {
    for (const subject of ['query parameter', 'error', 'operation', 'policy', 'store'])
      expect(pathsOf(subject), subject).not.toEqual([])
  })

  it('names files and folders that exist', () => {
    const missing = [...rows.keys()].flatMap((subject) =>
      pathsOf(subject).filter((path) => !existsSync(`${root}/${path}`)),
    )
    expect(missing).toEqual([])
  })

  it('names every file that lists all operations', () => {
    const names = namesOfModelOperations
    const lists = sourceFiles(root).filter((file) => {
      const source = withoutComments(readFileSync(`${root}/${file}`, 'utf8'))
      return names.every((name) => new RegExp(`'${name}'|\\b${name}:`).test(source))
    })
    expect(lists.length).toBeGreaterThan(1)
    expect(lists.filter((file) => !pathsOf('operation').includes(file))).toEqual([])
  })

  it('names every file that asks for operations by their names', () => {
    const names = namesOfModelOperations
    const quoted = new RegExp(`'(?:${names.join('|')})'`)
    const users = sourceFiles(root).filter(
      (file) =>
        !/^(?:testing|contracts|tools\/check)\//.test(file) &&
        quoted.test(withoutComments(readFileSync(`${root}/${file}`, 'utf8'))),
    )
    expect(users.length).toBeGreaterThan(1)
    expect(
      users.filter((file) => !pathsOf('operation').includes(file) && !(file in singleOperations)),
    ).toEqual([])
    expect(Object.keys(singleOperations).filter((file) => !users.includes(file))).toEqual([])
  })

  it('names every file that imports a parameter of the query string by its name', () => {
    const users = arrows
      .filter(({ to }) => /^rule\/parameter\/[\w-]+-parameter\.ts$/.test(to))
      .map(({ from }) => from)
    const places = pathsOf('query parameter')
    expect(users.length).toBeGreaterThan(1)
    expect([...new Set(users)].filter((file) => !places.includes(file))).toEqual([])
    // The value of a parameter, and those who apply it.
    expect(places).toContain('rule/selection.ts')
  })
})

/** Those that are about items of one model. */
const namesOfModelOperations = Object.entries(operations)
  .filter(([, { scope }]) => scope !== 'router')
  .map(([name]) => name)

/** Does the file belong to what runs beside the server, and could be a package of its own? */
function isBesideServer(file: string): boolean {
  return /^(?:tools|contracts)\//.test(file)
}

/** The files that `exports` of package.json names. */
const entryFiles = Object.values(packageJson.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [entry['resourcery-source'].replace('./src/', '')],
)

/** Files that tools and suites import although no entry exports them, with the reason. */
const sharedWithTools: Readonly<Record<string, string>> = {
  'adapter/log/log-start.ts': 'a command prints the line that the log of a service would have',
  'adapter/log/start-entry.ts': 'commands say where they listen in the words of the log',
  'api/without-opening.ts': 'a module that a command imports does not open its routers',
  'error/truncate.ts': 'texts of others are shortened in one way',
  'error/unknown-name.ts': 'tools and server report an unknown name in the same words',
  'error/unwritten-rule.ts': 'keywords of the OpenAPI document, which one writes and one reads',
  'http/json/json-pointer.ts': 'tools and server name a place in JSON in the same form',
  'http/json/read-json.ts': 'files of data are read as strictly as bodies of requests',
  'model/check-options.ts': 'tools and server refuse options in the same words',
  'model/naming.ts': 'pulled models leave out the names that registration derives',
  'store/blobs/chunks.ts': 'files of items and blob stores cut streams into chunks',
  'store/read-database.ts': 'what pull reads of a database changes with what stores check of it',
  'store/same-file.ts': 'stores by caller and backups compare the files of two stores',
  'store/sync-path.ts': 'copies become durable as blobs do',
  'text/message-text.ts': 'numbers and lists of words, in the same form',
  'tools/check/described-service.ts': 'the contract of policies checks responses as the tool does',
}

/** Files that choose a policy, with the reason. */
const policyUsers: Readonly<Record<string, string>> = {
  'api/actor-services.ts': 'items in code need the rules of any policy that has all operations',
  'tools/guess/guessed-router.ts': 'a service that is guessed is one as developers write it',
}

/** Files that look up certain operations, and do not ask the same of each. */
const singleOperations: Readonly<Record<string, string>> = {
  'middleware/hooks.ts': 'a change of another item is an update',
  'rule/item-rules.ts': 'hooks of other models run with the rules of reads and updates',
  'items/item-endpoints.ts': 'the operations on resources have a path of their own',
  'items/model-items.ts': 'each method runs one operation',
  'items/code-resources.ts': 'each function runs one operation',
  'items/code-queries.ts': 'queries of code are those of lists and items',
  'items/code-item.ts': 'items in code are what reading an item shows',
  'middleware/access-decisions.ts': 'versions and the trash have access rules of their own',
  'api/scan-detector.ts': 'lists and groups may read many items',
  'webhooks/owner-changes.ts': 'webhooks follow what the feed of a model says',
  'rule/rule.ts': 'a feed has the rules of the lists that it follows',
  'policy/feed-rules.ts': 'a feed is of the lists whose changes can be followed',
  'pipeline/changes-input.ts': 'what changed in one list, or in several',
  'policy/json-api/examples.ts': 'the example of a batch is a create and an update',
}

describe('the reader of imports', () => {
  it('finds values, types, re-exports, side effects, dynamic imports and workers', () => {
    const text = [
      "import { a } from './a.ts'",
      "import type { B } from '../b/b.ts'",
      "export * from './c.ts'",
      "import './d.ts'",
      "const e = await import('./e.ts')",
      "new Worker(new URL('./f-worker.js', import.meta.url))",
      'import {\n  g,\n} from "./g.ts"',
      "import { z } from 'zod'",
    ].join('\n')
    expect(
      importsOf('x/y.ts', text)
        .map((arrow) => arrow.to)
        .sort(),
    ).toEqual(['b/b.ts', 'x/a.ts', 'x/c.ts', 'x/d.ts', 'x/e.ts', 'x/f-worker.js', 'x/g.ts'].sort())
  })

  it('names the arrow that breaks a floor', () => {
    const arrow = { from: 'http/headers/accept.ts', to: 'rule/rule.ts' }
    expect(breaksFloor(arrow)).toBe(true)
    expect(inWords(arrow)).toBe(
      'http/headers/accept.ts (floor 2) must not import rule/rule.ts (floor 6)',
    )
    expect(breaksFloor({ from: 'rule/rule.ts', to: 'http/headers/accept.ts' })).toBe(false)
    expect(breaksFloor({ from: 'query/query.ts', to: 'error/problem.ts' })).toBe(true)
  })
})

function breaksFloor({ from, to }: Arrow): boolean {
  return folderOf(from) !== folderOf(to) && floors[folderOf(to)]! >= floors[folderOf(from)]!
}

function inWords({ from, to }: Arrow): string {
  return `${from} (floor ${floors[folderOf(from)]}) must not import ${to} (floor ${floors[folderOf(to)]})`
}

function circles(all: readonly Arrow[]): readonly string[] {
  const targets = new Map<string, string[]>()
  for (const { from, to } of all) targets.set(from, [...(targets.get(from) ?? []), to])
  const done = new Set<string>()
  const paths: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) paths.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (done.has(file) || path.includes(file)) return
    for (const target of targets.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of targets.keys()) visit(file, [])
  return paths
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
}
