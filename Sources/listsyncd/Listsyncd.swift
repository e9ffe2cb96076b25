@main struct Daemon { static func main() async {} }
