import { pruneRouters } from '../../index.ts'
import type { UndeclaredData } from '../../store/public.ts'
import { countOf } from '../../text/message-text.ts'
import { importRouters } from '../import-routers.ts'
import { type Command, command } from './command.ts'
import { expectPositionals } from './parse-arguments.ts'

/** `resourcery prune`: drops what no model declares any more. */
export const pruneCommand: Command = command({
  name: 'prune',
  synopsis: 'prune <module>',
  summary: 'counts what no model declares any more, and drops it with --drop',
  usage: `resourcery prune <module>

Counts the models, fields and relations that stores keep although no model declares them any more.
Expects a module that exports a router. Nothing is dropped without --drop, and nothing is ever
dropped from tables of other programs.

  --drop     drops them, for good
`,
  options: { drop: { type: 'boolean' } },
  run: async ({ values, positionals }) => {
    const [file] = expectPositionals(positionals, ['one module'])
    const drops = values.drop === true
    const routers = await importRouters(file)
    try {
      console.log(pruneText(await pruneRouters(routers, { drops }), drops))
    } finally {
      for (const router of routers) await router.close()
    }
    return 0
  },
})

function pruneText(data: readonly UndeclaredData[], isDropped: boolean): string {
  if (data.length === 0) return 'Nothing to drop.'
  const verb = isDropped ? 'Dropped' : 'Would drop'
  const lines = data.map((part) => `${verb} ${partText(part)}.`)
  return [...lines, ...(isDropped ? [] : ['Run it with --drop to drop this for good.'])].join('\n')
}

function partText(part: UndeclaredData): string {
  const items = countOf(
    part.itemCount,
    part.kind === 'member' && part.owner === part.name ? 'row' : 'item',
  )
  if (part.kind === 'model') return `the model '${part.name}' with ${items}`
  return part.owner === part.name
    ? `the relation '${part.name}' with ${items}`
    : `'${part.name}' of ${items} of '${part.owner}'`
}
