import { actions, actionsJsonApi } from './actions.ts'
import { theBookstore, theJsonApiBookstore } from './bookstore.ts'
import { feed } from './feed.ts'
import { names } from './names.ts'
import { oddSchemas } from './odd-schemas.ts'
import { oneModel } from './one-model.ts'
import { relations, relationsJsonApi } from './relations.ts'
import { resources } from './resources.ts'
import type { Scenario } from './scenario.ts'
import { security } from './security.ts'
import { upsert } from './upsert.ts'
import { visibility } from './visibility.ts'

export const scenarios: readonly Scenario[] = [
  oneModel,
  relations,
  relationsJsonApi,
  oddSchemas,
  visibility,
  actions,
  actionsJsonApi,
  resources,
  security,
  upsert,
  names,
  feed,
  theBookstore,
  theJsonApiBookstore,
]
