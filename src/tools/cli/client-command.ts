import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Router } from '../../index.ts'
import { readDocument } from '../check/open-services.ts'
import { writeClient } from '../client/write-client.ts'
import { importRouters } from '../import-routers.ts'
import { type Command, command } from './command.ts'
import { expectPositionals, parseHeader, requireOption } from './parse-arguments.ts'

/** `resourcery client`: writes the types and the manifest of a typed client. */
export const clientCommand: Command = command({
  name: 'client',
  synopsis: 'client <module or URL>',
  summary: 'writes a typed client of a service',
  usage: `resourcery client <module or URL>

Writes a TypeScript file with the types of a service and a manifest, for 'createClient' of
'resourcery/client'. Expects the URL of an OpenAPI document, or a module that exports a router.
With --check it writes nothing, and exits with 1 if the file is not what it would write.
Exits with 2 if it cannot read the service.

  -o, --out <file>   the file (api.ts)
  --check            only compare
  --path <path>      the base path of the router, where the module exports several
  --header <n: v>    header of the request for the document; may be repeated
`,
  options: {
    out: { type: 'string', short: 'o' },
    check: { type: 'boolean' },
    path: { type: 'string' },
    header: { type: 'string', multiple: true },
  },
  run: async ({ values, positionals }) => {
    const [target] = expectPositionals(positionals, ['one module or URL'])
    const file = requireOption('out', values.out ?? 'api.ts', 'a file')
    const headers = Object.fromEntries((values.header ?? []).map(parseHeader))
    const document = /^https?:\/\//.test(target)
      ? await readDocument(new URL(target), headers)
      : documentOf(await importRouters(target), values.path)
    const text = writeClient(document)
    const isFresh = existsSync(file) && readFileSync(file, 'utf8') === text
    if (values.check === true) {
      console.log(
        isFresh
          ? `'${file}' is what the service has now.`
          : `'${file}' is stale: run 'resourcery client ${target} -o ${file}'.`,
      )
      return isFresh ? 0 : 1
    }
    if (!isFresh) {
      refuseOtherFile(file, text)
      writeFileSync(file, text)
    }
    console.log(isFresh ? `'${file}' needs no change.` : `Wrote '${file}'.`)
    return 0
  },
})

/** @throws Error if a file is there that this command has not written */
function refuseOtherFile(file: string, text: string): void {
  const [firstLine = ''] = text.split('\n')
  if (!existsSync(file) || readFileSync(file, 'utf8').startsWith(firstLine)) return
  throw new Error(
    `'${file}' is there, and 'resourcery client' has not written it. Choose another name with -o.`,
  )
}

/** @throws Error if the module has several routers, and none is named or none has the path */
function documentOf(routers: readonly Router[], path: string | undefined): object {
  const named = routers.map((router) => {
    const document = router.toOpenApi({ info: { title: 'Client', version: '1' } })
    return { document, path: document.servers?.[0]?.url ?? '/' }
  })
  const found = path === undefined ? named : named.filter((router) => router.path === path)
  if (found.length === 1) return found[0]!.document
  const paths = named.map((router) => `'${router.path}'`).join(', ')
  throw new Error(
    path === undefined
      ? `The module exports several routers: name one by --path, with one of ${paths}.`
      : `No router of the module has the path '${path}'; expected one of ${paths}.`,
  )
}
