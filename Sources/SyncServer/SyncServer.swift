import Hummingbird
import SyncService
