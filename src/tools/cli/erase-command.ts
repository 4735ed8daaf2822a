import { unknownName } from '../../error/unknown-name.ts'
import { contentOf } from '../../index.ts'
import { countOf } from '../../text/message-text.ts'
import { importRouters } from '../import-routers.ts'
import { type Command, command } from './command.ts'
import { expectPositionals } from './parse-arguments.ts'
import { refusePendingSteps } from './refuse-pending-steps.ts'

/** `resourcery erase`: erases what is kept of former states of an item. */
export const eraseCommand: Command = command({
  name: 'erase',
  synopsis: 'erase <module> <model> <id>',
  summary: 'erases what the log of changes keeps of an item',
  usage: `resourcery erase <module> <model> <id>

Erases what the log of changes, and other options that keep former items, keep of an item. Expects a
module that exports a router with the models of the running service, and the name of a model, such
as author. The item itself stays: delete it first.
`,
  options: {},
  run: async ({ positionals }) => {
    const [file, name, id] = expectPositionals(positionals, ['one module', 'a model', 'an id'])
    const routers = await importRouters(file)
    try {
      const known = routers.map((router) => ({ router, models: contentOf(router).models }))
      const names = [
        ...new Set(known.flatMap(({ models }) => models.map((each) => each.modelName))),
      ]
      if (!names.includes(name))
        throw new Error(unknownName(`No router has the model '${name}'`, name, names))
      await refusePendingSteps(file, routers)
      let erased = 0
      for (const { router, models } of known) {
        const model = models.find((each) => each.modelName === name)
        if (model) erased += await router.erase(model, id)
      }
      console.log(`Erased ${countOf(erased, 'record')} of the ${name} '${id}'.`)
    } finally {
      for (const router of routers) await router.close()
    }
    return 0
  },
})
