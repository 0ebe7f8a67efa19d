import type { Handlers } from '../server/handlers.ts'
import type { BuildService } from './build.service.ts'
import type { DeploysService } from './deploys.service.ts'

type Names = 'deploys.deploy' | 'deploys.rollback' | 'deploys.cancel' | 'deploys.list' | 'deploys.build'

export function deploysRoutes(deploys: DeploysService, builds: BuildService): Pick<Handlers, Names> {
  return {
    'deploys.deploy': ({ image_tag, force }, { operator }) => deploys.deploy(image_tag, force, operator),
    'deploys.rollback': ({ force }, { operator }) => deploys.rollback(force, operator),
    'deploys.cancel': () => deploys.cancel(),
    'deploys.list': ({ page, pageSize }) => deploys.list(page, pageSize),
    'deploys.build': ({ tag }) => builds.build(tag),
  }
}
