import { contentOf } from '../../index.ts'
import { importRouters } from '../import-routers.ts'
import { type Command, command } from './command.ts'
import { expectPositionals } from './parse-arguments.ts'

/** `resourcery rename-log`: ends all positions in a log of changes that comes from a backup. */
export const renameLogCommand: Command = command({
  name: 'rename-log',
  synopsis: 'rename-log <module>',
  summary: 'ends all positions in the log of changes, after a backup was restored',
  usage: `resourcery rename-log <module>

Gives the log of changes a new name, so that no position in it holds any more: who follows the
changes reads again from the beginning. Run it after you have restored a backup, before the service
starts, because positions of later changes would say something else now. Expects a module that
exports a router.
`,
  options: {},
  run: async ({ positionals }) => {
    const [file] = expectPositionals(positionals, ['one module'])
    const contents = (await importRouters(file)).map(contentOf)
    const stores = new Set(contents.map(({ store }) => store))
    try {
      const logged = contents.filter((content) => content.kept().keepsChanges)
      if (logged.length === 0)
        throw new Error(`Expected a router with the option 'changes'; ${file} exports none.`)
      for (const { store, kept, storedModels } of logged) {
        await store.open(storedModels(), kept())
        await store.changes?.rename()
      }
      console.log('The log of changes has a new name.')
    } finally {
      for (const store of stores) await store.close()
    }
    return 0
  },
})
