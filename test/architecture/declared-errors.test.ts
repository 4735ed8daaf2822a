import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { errorCatalog } from '../../src/error/catalog.ts'
import { sourceFiles } from './imports.ts'

const root = fileURLToPath(new URL('../../src', import.meta.url))

const makers = /^(?:refuse|refuseAll|createApiError|problem|temporaryRefusal|refusalsOf)$/

/**
 * Files that make errors outside of a list of their own, and who declares these. A name that ends
 * with a slash is a folder.
 */
const declaredElsewhere: Readonly<Record<string, string>> = {
  'error/': 'makes the errors of all others',
  'authentication/scopes.ts': 'hooks that require scopes declare it',
  'store/refused-change.ts': 'databaseErrors of pipeline/error-responses.ts: whatever writes',
  'store/tables/change-refusals.ts': 'operations that delete declare them',
  'adapter/': 'refuses before the rule of the request is known',
  'rule/parameter/': 'each parameter declares its errors, see QueryParameter',
  'feature/browser-pages/document-page.ts': 'the document does not describe its own address',
  'feature/idempotency/': 'idempotent-rules.ts declares them for any rule that uses keys',
  'feature/replicas/request-writes.ts': 'commonErrors of pipeline/error-responses.ts: any request',
  'http/query-string.ts': 'commonErrors of pipeline/error-responses.ts: any query string',
  'http/route-problems.ts': 'refuses before the rule of the request is known',
  'http/cross-site-guard.ts': 'no document lists what only a page of another site can get',
  'http/unfinished-bodies.ts': 'commonErrors of pipeline/error-responses.ts: an overload',
  'http/json/': 'documentErrors of pipeline/error-responses.ts: any document',
  'pipeline/apply-page.ts': 'the parameter page declares invalid-cursor',
  'limits/': 'its middleware declares them',
  'items/': 'items in code: no request responds with them',
  'pipeline/decode.ts': 'bodyErrors and documentErrors of pipeline/error-responses.ts',
  'pipeline/encode-error.ts': 'commonErrors of pipeline/error-responses.ts: any failure',
  'pipeline/large-bodies.ts': 'commonErrors of pipeline/error-responses.ts: an overload',
  'pipeline/negotiate.ts': 'negotiationErrors and bodyErrors of pipeline/error-responses.ts',
  'pipeline/preferred-endpoint.ts': 'negotiationErrors of pipeline/error-responses.ts',
  'pipeline/read-query.ts': 'commonErrors of pipeline/error-responses.ts: any query string',
  'pipeline/request-router.ts': 'refuses before the rule of the request is known',
  'policy/rest/read-item.ts': 'documentErrors of pipeline/error-responses.ts',
  'policy/json-api/operation-local-ids.ts': 'documentErrors of a batch',
  'policy/json-api/operations-reader.ts': 'documentErrors of a batch',
  'policy/json-api/action-format.ts': 'documentErrors of pipeline/error-responses.ts',
  'policy/json-api/read-id.ts': 'its callers choose the code',
  'policy/json-api/read-target.ts': 'documentErrors and batchCallErrors of a batch',
}

/**
 * Every file that makes errors or ties them to a list, and every step of an operation or a batch,
 * which must list what its own steps refuse with.
 */
const refusing = sourceFiles(root).filter(
  (file) =>
    !/^(?:testing|contracts|tools\/check)\//.test(file) &&
    !isDeclaredElsewhere(file) &&
    (makesErrors(file) ||
      /^(?:operation|http\/upload)\/.*\.ts$/.test(file) ||
      file === 'pipeline/implementations.ts'),
)

/** One import of a value from a file of the project. */
interface ValueImport {
  readonly names: readonly string[]
  readonly file: string
}

interface RefusingFile {
  readonly file: string
  readonly text: string
  readonly imports: readonly ValueImport[]
  /** The names of the lists that it exports. */
  readonly errorLists: readonly string[]
}

describe('What an operation can refuse with', () => {
  it('is declared in each file that makes errors', () => {
    const undeclared = refusing
      .map(readRefusing)
      .filter(({ imports }) =>
        imports.some(
          ({ file, names }) =>
            /^error\/(?:api-error|problem|temporary-refusal)\.ts$/.test(file) &&
            names.some((name) => makers.test(name) && name !== 'refuseAll'),
        ),
      )
      .map(({ file }) => `${file} makes errors without refusalsOf()`)
    expect(undeclared).toEqual([])
  })

  it('stands in one exported list for each file, with every code in use', () => {
    const wrong = refusing.map(readRefusing).flatMap(({ file, text, errorLists }) => {
      const own = /= \[([^\]]*)\] as const\n/.exec(declarationOf(text))?.[1] ?? ''
      const codes = [...own.matchAll(/'([\w-]+)'/g)].map(([, code]) => code!)
      const unused = codes.filter((code) => text.split(`'${code}'`).length < 3)
      return [
        ...(errorLists.length > 1 ? [`${file} has several lists`] : []),
        ...(text.includes('refusalsOf(') && errorLists.length === 0 ? [`${file} has no list`] : []),
        ...unused
          .filter((code) => !thrownOtherwise.has(`${file} ${code}`))
          .map((code) => `${file} declares '${code}' and never uses it`),
      ]
    })
    expect(wrong).toEqual([])
  })

  it('contains what the steps that it uses can refuse with', async () => {
    const missing: string[] = []
    for (const { file, text, imports, errorLists } of refusing.map(readRefusing)) {
      const own = errorLists[0] === undefined ? [] : await errorsOf(file, errorLists[0])
      for (const imported of imports.filter((step) => existsSync(join(root, step.file)))) {
        const [list] = readRefusing(imported.file).errorLists
        if (list === undefined) continue
        if (!imported.names.includes(list))
          missing.push(`${file} uses ${imported.file} without '${list}'`)
        else if (file !== 'pipeline/implementations.ts')
          for (const code of await errorsOf(imported.file, list))
            if (!own.includes(code) && !isLeftOut(text, list, code))
              missing.push(`${file} does not list '${code}'`)
      }
    }
    expect(missing).toEqual([])
  })

  it('is found beside the function of each operation', () => {
    const { text } = readRefusing('pipeline/implementations.ts')
    const entries = [...text.matchAll(/run: (\w+),\s+errors: (\w+)/g)]
    expect(entries.length).toBe(26)
    for (const [, run, errors] of entries) expect(errors).toBe(`${run}Errors`)
  })

  it('is declared elsewhere only for files that make errors', () => {
    const making = sourceFiles(root).filter(makesErrors)
    expect(
      Object.keys(declaredElsewhere).filter(
        (place) => !making.some((file) => file === place || file.startsWith(place)),
      ),
    ).toEqual([])
  })

  it('has codes of the catalog only', async () => {
    for (const { file, errorLists } of refusing.map(readRefusing))
      for (const list of errorLists)
        for (const code of await errorsOf(file, list)) expect(errorCatalog).toHaveProperty([code])
  })
})

function makesErrors(file: string): boolean {
  return readRefusing(file).imports.some(
    ({ file: imported, names }) =>
      imported.startsWith('error/') && names.some((name) => makers.test(name)),
  )
}

function isDeclaredElsewhere(file: string): boolean {
  return Object.keys(declaredElsewhere).some((place) =>
    place.endsWith('/') ? file.startsWith(place) : file === place,
  )
}

/** Errors that a file declares for one that another folder makes of its exception. */
const thrownOtherwise: ReadonlySet<string> = new Set([
  'operation/validations.ts validation-timeout',
])

/** Whether the file says that the code cannot occur as it uses the step. */
function isLeftOut(text: string, list: string, code: string): boolean {
  const [, codes = ''] = new RegExp(`withoutErrors\\(${list},\\s*\\[([^\\]]*)\\]`).exec(text) ?? []
  return codes.includes(`'${code}'`)
}

function declarationOf(text: string): string {
  return /(?:const ownErrors|export const \w+Errors) = \[[^\]]*\] as const\n/.exec(text)?.[0] ?? ''
}

function readRefusing(file: string): RefusingFile {
  const text = readFileSync(join(root, file), 'utf8')
  return {
    file,
    text,
    imports: valueImports(file, text),
    errorLists: [...text.matchAll(/^export const (\w+Errors)\b/gm)].map(([, name]) => name!),
  }
}

function valueImports(file: string, text: string): readonly ValueImport[] {
  return [...text.matchAll(/^import \{([^}]*)\} from '(\.[^']*)'/gm)].map(
    ([, names = '', target = '']) => ({
      names: names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && !name.startsWith('type ')),
      file: normalize(join(dirname(file), target)).replaceAll('\\', '/'),
    }),
  )
}

async function errorsOf(file: string, list: string): Promise<readonly string[]> {
  const module = await import(pathToFileURL(join(root, file)).href)
  return module[list]
}
