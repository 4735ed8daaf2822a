import { basename, extname } from 'node:path'
import { type AnyModel, createRouter, model, type Router } from '../../index.ts'
import { rest } from '../../policy/rest/rest.ts'
import type { Store } from '../../store/public.ts'
import { type GuessedModel, itemsOf } from './guessed-model.ts'

/**
 * Plain REST over guessed models, with the items of their file in the store. Items that the store
 * has already stay as they are there.
 */
export async function guessedRouter(
  file: string,
  models: readonly GuessedModel[],
  store: Store,
): Promise<Router> {
  const router = createRouter({
    policy: rest(),
    store,
    docsPage: true,
    startPage: true,
    info: { title: titleOf(file), version: '1' },
  })
  const classes = models.map((guessed) => classOf(guessed))
  for (const modelClass of classes) router.prepare(modelClass)
  for (const [index, guessed] of models.entries())
    await router.load(classes[index]!, itemsOf(guessed) as never)
  return router
}

/** The name of a file without its extension. */
export function titleOf(file: string): string {
  return basename(file, extname(file))
}

function classOf({ name, plural, members }: GuessedModel): AnyModel {
  const fields = Object.fromEntries(members.map((member) => [member.name, member.value]))
  return model(name, fields as never, { plural })
}
